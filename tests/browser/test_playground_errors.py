"""The playground says what is wrong, and where."""
import environment

environment.enter()

from harness import equal, main, test  # noqa: E402
from playground import cells, enter, playground, rule, run  # noqa: E402


def invalid(page):
    return page.evaluate("[...document.querySelectorAll('[aria-invalid=true]')].map(field => field.name)")


# typed, code, pointer, what is marked, field, elements that are marked
@test(rows=[
    ("sizes differ", ("Expand", "[[1, 2]]", "2, 3"), "invalid_shape", "/inputs/1/data/1", "3", "list", []),
    ("a negative size", ("Expand", "[1]", "-2", "INT8"), "invalid_shape", "/inputs/1/data/0", "-2", "list", []),
    ("a value out of range", ("Expand", "[[1], [300]]", "2, 2", "UINT8"), "invalid_data", "/inputs/0/data/1/0", "300",
     "data", ["300"]),
    ("a word", ("Expand", "[1, x]", "2"), "invalid_data", "/inputs/0/data/1", '"x"', "data", ["x"]),
    ("a ragged list", ("Expand", "[[1, 2], [3]]", "2, 2"), "invalid_data", "/inputs/0/data/1", "[3]", "data", []),
    ("a complex number", ("Unsqueeze", "[1, 2, 1e39-1i]", "0", "COMPLEX64"), "invalid_data", "/inputs/0/data/4", "1e39", "data",
     ["1e39-1i"]),
    ("a type", ("Expand", "[1]", "2", "INT4"), "unsupported_datatype", "/inputs/0/datatype", '"INT4"', "type", []),
    ("an axis twice", ("Unsqueeze", "[1]", "0, -3"), "invalid_axes", "/inputs/1/data/1", "-3", "list", []),
    ("an axis too far", ("Unsqueeze", "[1]", "0, 7"), "invalid_axes", "/inputs/1/data/1", "7", "list", []),
    ("an attribute", ("Unsqueeze", "[1]", "0, 7", "FP32", "11"), "invalid_axes", "/parameters/axes", '"0,7"', "list", []),
    ("a name for a size", ("Expand", "[1]", "batch"), None, "/inputs/1/data/0", '"batch"', "list", []),
    ("a shape that does not fit", ("Expand", "[1, 2]", "2", "FP32", None, "3"), "invalid_data", "/inputs/0/data", "[1,2]",
     "data", []),
])
def points_at_what_is_wrong(server, typed, code, pointer, marked, field, elements):
    with playground(server) as page:
        enter(page, *typed)
        answer = page.evaluate("JSON.parse(document.getElementById('answer').textContent)")
        equal(page.text("#error .sentence"), answer["error"])
        equal((answer["pointer"], page.text("#error code")), (pointer, pointer))
        equal(page.text("#error .title"), "400 %s" % (code or answer["code"]))
        equal((page.text("#error mark"), page.text("#command mark")), (marked, marked))
        equal((invalid(page), page.texts(".faulty")), ([field], elements))
        equal(cells(page, "output"), [])


@test
def the_rule_shows_the_conflict(server):
    with playground(server) as page:
        enter(page, "Expand", "[[1, 2]]", "2, 3")
        equal(rule(page)["rule"], ["\u00d72", "differ"])
        equal(page.texts("#rule tbody .conflict"), ["2", "3", "\u2013", "differ"])


@test
def an_error_goes_away(server):
    with playground(server) as page:
        enter(page, "Expand", "[1, 2]", "3")
        page.locator("#list").fill("2")
        run(page, "HTTP 200")
        assert not page.locator("#error").is_visible()
        equal((invalid(page), page.locator("mark").count()), ([], 0))


@test(rows=[("an open list", "[1, [2"), ("a comma too many", "[1,,2]"), ("an open string", '["a'), ("nothing", ""),
            ("an object", '{"a":1}'), ("something behind", "[1] 2"), ("very deep", "[" * 3000)])
def what_is_no_list_is_not_sent(server, typed):
    with playground(server) as page:
        before = len(page.posts())
        page.locator("#data").fill(typed)
        run(page, "not sent")
        assert page.text("#error .sentence").startswith("input cannot be read: "), page.text("#error .sentence")
        equal((invalid(page), len(page.posts()), cells(page, "input")), (["data"], before, []))


main()
