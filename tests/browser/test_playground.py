"""The playground at "/", used as a person would."""
import environment

environment.enter()

import os  # noqa: E402
import subprocess  # noqa: E402
import tempfile  # noqa: E402

from browser import LOOKS, PHONE, accessible, fits  # noqa: E402
from harness import Server, equal, eventually, main, test  # noqa: E402
from playground import cells, colours, enter, example, playground, rule, run, settled  # noqa: E402
from wire import seconds  # noqa: E402

COLUMN = [((i, j), text, i) for i, text in enumerate(["1.0", "2.5", "-3.0"]) for j in range(4)]


# ---- how it looks

@test(rows=LOOKS, limit=60)
def begins_with_an_example(server, device, scheme):
    with playground(server, device, scheme) as page:
        equal(cells(page, "input"), [((0, 0), "1", 0), ((1, 0), "2.5", 1), ((2, 0), "-3", 2)])
        equal(cells(page, "output"), COLUMN)
        fits(page)
        accessible(page)
        page.picture("playground-%s-%s" % ("phone" if device is PHONE else "desktop", scheme))


@test(rows=LOOKS, limit=60)
def an_error_is_shown(server, device, scheme):
    with playground(server, device, scheme) as page:
        example(page, "Out of range")
        page.locator("#error").wait_for()
        fits(page)
        accessible(page)
        page.picture("error-%s-%s" % ("phone" if device is PHONE else "desktop", scheme))


@test(rows=LOOKS, limit=60)
def many_axes_are_shown(server, device, scheme):
    with playground(server, device, scheme) as page:
        enter(page, "Expand", "[[[0, 1, 2]], [[3, 4, 5]]]", "2, 2, 4, 1", "INT64")
        equal(len(cells(page, "output")), 48)
        page.locator("#input-grid .element").nth(4).hover()
        fits(page)
        accessible(page)
        page.picture("axes-%s-%s" % ("phone" if device is PHONE else "desktop", scheme))


@test
def the_theme_is_chosen_and_remembered(server):
    with playground(server, scheme="light") as page:
        def paper():
            return page.evaluate("getComputedStyle(document.body).backgroundColor")
        light, button = paper(), page.get_by_role("button", name="Theme")
        button.click()  # light
        equal(paper(), light)
        button.click()  # dark
        dark = paper()
        assert dark != light
        page.reload()
        settled(page)
        equal((paper(), page.text("#theme")), (dark, "Theme: dark"))


# ---- what it shows

@test(rows=[
    ("a column", ("Expand", "[[1], [2.5], [-3]]", "3, 4"), "[3, 4]", COLUMN),
    ("a new axis", ("Expand", "[7, 8]", "2,2", "INT32"), "[2, 2]",
     [((0, 0), "7", 0), ((0, 1), "8", 1), ((1, 0), "7", 0), ((1, 1), "8", 1)]),
    ("1 keeps a size", ("Expand", "[[5], [6]]", "(1, 2)", "UINT8"), "[2, 2]",
     [((0, 0), "5", 0), ((0, 1), "5", 0), ((1, 0), "6", 1), ((1, 1), "6", 1)]),
    ("no shape at all", ("Expand", "3", "", "FP16"), "[]", [((), "3.0", 0)]),
    ("words and signs", ("Expand", "[NaN, -inf, inf, -0.0]", "4", "FP32"), "[4]",
     [((0,), "NaN", 0), ((1,), "-Infinity", 1), ((2,), "Infinity", 2), ((3,), "-0.0", 3)]),
    ("strings", ("Expand", '["it\'s", "na\\u00efve"]', "2", "BYTES"), "[2]", [((0,), "it's", 0), ((1,), "na\u00efve", 1)]),
    ("64 bits", ("Unsqueeze", "[9007199254740993, -9223372036854775808]", "0", "INT64"), "[1, 2]",
     [((0, 0), "9007199254740993", 0), ((0, 1), "-9223372036854775808", 1)]),
    ("complex", ("Unsqueeze", "[1+2i, -3.5]", "-1", "COMPLEX64"), "[2, 1]",
     [((0, 0), "1.0+2.0i", 0), ((1, 0), "-3.5+0.0i", 1)]),
    ("an attribute", ("Unsqueeze", "[5, 6]", "2, 0", "FP32", "11"), "[1, 2, 1]", [((0, 0, 0), "5.0", 0), ((0, 1, 0), "6.0", 1)]),
    ("flat with a shape", ("Unsqueeze", "[1, 2, 3, 4]", "0", "INT4", None, "2, 2"), "[1, 2, 2]",
     [((0, 0, 0), "1", 0), ((0, 0, 1), "2", 1), ((0, 1, 0), "3", 2), ((0, 1, 1), "4", 3)]),
    ("counted up", ("Unsqueeze", "", "1", "UINT8", None, "[3]"), "[3, 1]", [((i, 0), str(i), i) for i in range(3)]),
])
def shows_what_the_server_answers(server, typed, shape, want):
    with playground(server) as page:
        enter(page, *typed)
        equal(page.text("#output-shape"), "%s %s" % (typed[3] if len(typed) > 3 else "FP32", shape))
        equal(cells(page, "output"), want)


@test
def nothing_is_said_where_there_is_nothing(server):
    with playground(server) as page:
        enter(page, "Expand", "[[1], [2]]", "2, 0", "FP64")
        equal(page.text("#output-shape"), "FP64 [2, 0]")
        equal((cells(page, "output"), page.text("#output-grid")), ([], "no elements: axis 1 has size 0"))


@test(rows=[
    ("Expand", ("Expand", "[[[1, 2, 3]], [[4, 5, 6]]]", "5, 2, 7, 1"), {
        "axis": ["0", "1", "2", "3"], "input": ["", "2", "1", "3"], "shape": ["5", "2", "7", "1"],
        "output": ["5", "2", "7", "3"], "rule": ["new, \u00d75", "same", "\u00d77", "1 keeps it"]}),
    ("Expand with a short shape", ("Expand", "[[1], [2]]", "3"), {
        "axis": ["0", "1"], "input": ["2", "1"], "shape": ["", "3"], "output": ["2", "3"], "rule": ["same", "\u00d73"]}),
    ("Unsqueeze", ("Unsqueeze", "[[1, 2, 3]]", "-1, 1"), {
        "axis": ["0", "1", "2", "3"], "data": ["1", "", "3", ""], "axes": ["", "1", "", "-1"],
        "expanded": ["1", "1", "3", "1"], "rule": ["same", "new", "same", "new"]}),
])
def aligns_the_shapes(server, typed, want):
    with playground(server) as page:
        enter(page, *typed)
        equal(rule(page), want)


@test
def new_axes_are_marked(server):
    with playground(server) as page:
        enter(page, "Unsqueeze", "[[1, 2], [3, 4]]", "0, 3")
        equal(page.texts("#output-grid .axes .new"), ["new axis 0 by grid", "new axis 3 \u2192"])
        equal(page.texts("#output-grid th.new"), ["0", "0"])
        equal(page.locator("#rule td.new").count(), 2 * 4)


# ---- copies

@test
def copies_share_a_colour(server):
    with playground(server) as page:
        enter(page, "Expand", "[[[0, 1, 2]], [[3, 4, 5]]]", "2, 2, 3, 1")
        one, other = colours(page, "input"), colours(page, "output")
        equal(one, other)
        assert all(len(same) == 1 for same in other.values()), other
        equal(len(set(map(tuple, one.values()))), 6)


@test
def pointing_at_one_lights_the_others(server):
    with playground(server) as page:
        page.locator("#input-grid .element").nth(1).hover()
        equal(page.texts(".copy"), ["2.5"] * 5)
        equal(page.text("#lit"), "input[1, 0], 2.5: 4 times in output")
        page.locator("#output-grid .element").nth(11).hover()
        equal(page.texts(".copy"), ["-3"] + ["-3.0"] * 4)
        equal(page.text("#lit"), "output[2, 3] is input[2, 0], -3: 4 times in output")
        page.get_by_role("heading", name="Answer").hover()
        equal(page.locator(".copy").count(), 0)


@test
def a_finger_lights_them_too(server):
    with playground(server, PHONE) as page:
        page.locator("#output-grid .element").nth(5).tap()
        equal(page.texts(".copy"), ["2.5"] * 5)


# ---- by keyboard alone

@test
def everything_works_from_the_keyboard(server):
    with playground(server) as page:
        page.locator("#data").focus()
        page.keyboard.press("Control+A")
        page.keyboard.type("[[10], [20]]")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.type("2, 3")
        page.keyboard.press("Control+A")
        page.keyboard.type("2,3")
        page.keyboard.press("Enter")
        page.locator("#output-shape", has_text="[2, 3]").wait_for()
        page.locator("#input-grid .element").first.focus()
        page.keyboard.press("ArrowDown")
        equal(page.texts(".copy"), ["20"] + ["20.0"] * 3)
        page.keyboard.press("Tab")
        for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"):
            page.keyboard.press(key)
        equal(page.evaluate("document.activeElement.dataset.index"), "0, 2")
        page.keyboard.press("End")
        equal(page.evaluate("document.activeElement.ariaLabel"), "output[1, 2] is 20.0")


@test
def typing_alone_is_enough(server):
    with playground(server) as page:
        page.locator("#list").fill("3, 2")
        page.locator("#output-shape", has_text="[3, 2]").wait_for()
        equal(len(cells(page, "output")), 6)


@test
def the_address_keeps_what_was_typed(server):
    with playground(server) as page:
        enter(page, "Unsqueeze", "[true, false]", "0", "BOOL", "13")
        page.reload()
        settled(page)
        equal(page.text("#output-shape"), "BOOL [1, 2]")
        equal(page.get_by_label("Version").input_value(), "13")


# ---- the server does not answer

@test
def says_that_nobody_answers(server):
    with Server() as other, playground(other) as page:
        page.route("**/v2/**", lambda route: route.abort())
        run(page, "no answer")
        assert "does not answer" in page.text("#error"), page.text("#error")
        equal(cells(page, "output"), [])
        assert not page.locator("#grids").is_visible(), "an empty frame"
        accessible(page)
        page.unroute("**/v2/**")
        run(page)
        eventually(lambda: cells(page, "output") == COLUMN, what="the example again")
        page.said.clear()  # the browser tells each request that failed


@test
def begins_when_the_server_does(server):
    with playground(server) as page:
        page.route("**/v2/**", lambda route: route.abort())
        page.reload()
        page.locator("#status", has_text="no answer").wait_for()
        page.unroute("**/v2/**")
        run(page)
        equal(cells(page, "output"), COLUMN)
        page.said.clear()


# ---- a server that wants a token

@test(limit=60)
def asks_for_a_token(server):
    token = "a-token-of-some-length"
    with tempfile.NamedTemporaryFile("w", suffix=".tokens") as file:
        file.write(token + "\n")
        file.flush()
        with Server("--token-file", file.name, "--open", "docs") as closed:
            with playground(closed) as page:
                equal(page.text("#status"), "HTTP 401 unauthorized")
                field = page.get_by_label("Token")
                accessible(page)
                page.picture("token-desktop-light")
                field.fill("a-wrong-one-of-length")
                run(page, "HTTP 401")
                field.fill(token)
                run(page, "HTTP 200")
                equal(cells(page, "output"), COLUMN)
                assert not page.locator("#error").is_visible()
                assert token not in page.content() + page.url, "the token is shown"
                line = page.text("#command")
                assert "Bearer $TOKEN" in line, line
                pasted = subprocess.run(["sh", "-eu"], input=line, env=dict(os.environ, TOKEN=token), capture_output=True,
                                        encoding="utf-8", timeout=seconds(20))
                equal(pasted.stdout, page.text("#answer"))
            with playground(server) as page:
                assert not page.get_by_label("Token").is_visible(), "a field for a token that is not wanted"


# ---- what does not come from this server

@test(rows=[("a page of a proxy", 502, "<h1>Bad Gateway</h1>"), ("an empty one", 500, ""), ("a list", 400, "[]")])
def an_answer_that_is_none_of_ours(server, status, body):
    with playground(server) as page:
        page.route("**/infer", lambda route: route.fulfill(status=status, body=body, content_type="text/html"))
        run(page, "HTTP %d" % status)
        assert "proxy" in page.text("#error .sentence") or body == "[]", page.text("#error")
        page.route("**/v2/models", lambda route: route.fulfill(status=status, body=body, content_type="text/html"))
        page.reload()
        page.locator("#status", has_text="HTTP %d" % status).wait_for()
        page.unroute("**/infer")
        page.unroute("**/v2/models")
        run(page, "HTTP 200")
        equal(cells(page, "output"), COLUMN)


@test
def an_address_that_says_nonsense(server):
    for address in ("/#model=reshape&list=5", "/#model=unsqueeze", "/#model=expand&version=99&type=FP33&data=%5B1%5D&list=2", "/#%%%"):
        with playground(server, path=address) as page:
            settled(page)
            assert "undefined" not in page.content(), address


# ---- all examples

@test(rows=[("Expand", "Expand"), ("Unsqueeze", "Unsqueeze")], limit=60)
def every_example_does_what_it_says(server, model):
    with playground(server) as page:
        page.get_by_role("radio", name=model).check()
        settled(page)
        names = page.texts("#examples button")
        wrong = set(page.texts("#examples .wrong"))
        assert len(names) > 6 and len(wrong) == 2, (names, wrong)
        for name in names:
            example(page, name)
            equal(page.text("#status").startswith("HTTP 200"), name not in wrong, name)
            equal(page.locator("#error").is_visible(), name in wrong, name)


main()
