"""The playground shows a part of what is large, and never fetches it."""
import environment

environment.enter()

from browser import PHONE, DESKTOP, fits  # noqa: E402
from harness import equal, main, test  # noqa: E402
from playground import cells, enter, example, playground  # noqa: E402


@test(rows=[("desktop", DESKTOP, 12), ("phone", PHONE, 6)])
def ten_million_elements(server, device, columns):
    with playground(server, device) as page:
        page.said.clear()
        page.asked.clear()
        example(page, "10 million")
        equal(page.text("#output-shape"), "FP32 [10, 1000000]")
        equal(page.posts(), ["/v2/models/expand/versions/13/shape"])
        equal(cells(page, "output"), [((i, j), str(i), i) for i in range(10) for j in range(columns)])
        assert "10,000,000 elements are too many" in page.text("#answer-note"), page.text("#answer-note")
        fits(page)
        page.picture("large-%s" % ("phone" if device is PHONE else "desktop"))


@test
def the_window_is_moved(server):
    with playground(server) as page:
        example(page, "10 million")
        page.get_by_role("button", name="next part of axis 1 of output").click()
        equal([index for index, _, source in cells(page, "output") if source == 9], [(9, j) for j in range(12, 24)])
        equal(page.evaluate("document.activeElement.dataset.part"), "on")
        first = page.get_by_label("first shown index of axis 1 of output")
        first.fill("999999")
        first.press("Enter")
        equal(cells(page, "output")[-1][0], (9, 999999))
        equal(cells(page, "output")[0][0], (0, 999988))
        page.get_by_role("button", name="next part of axis 1 of output").click(force=True)  # it looks disabled
        equal(cells(page, "output")[0][0], (0, 999988))
        page.locator("#output-grid .element").nth(13).hover()
        equal(page.text("#lit"), "output[1, 999989] is input[1, 0], 1: 1,000,000 times in output")
        page.get_by_role("button", name="previous part of axis 1 of output").click()
        equal(cells(page, "output")[0][0], (0, 999976))


@test
def a_long_input_is_shown_in_part(server):
    with playground(server) as page:
        enter(page, "Unsqueeze", "", "0", "INT32", None, "4000")
        equal([text for _, text, _ in cells(page, "input")], [str(i) for i in range(12)])
        first = page.get_by_label("first shown index of axis 1 of expanded")
        first.fill("2000")
        first.press("Enter")
        equal(cells(page, "output")[0], ((0, 2000), "2000", 2000))


@test(limit=60)
def sixty_four_axes(server):
    with playground(server) as page:
        enter(page, "Expand", "[1, 2]", ",".join(["1"] * 30 + ["3"] * 3 + ["1"] * 30 + ["2"]), "UINT8")
        equal(page.locator("#rule tr").first.locator("th").count(), 65)
        assert 0 < len(cells(page, "output")) <= 480
        fits(page)
        enter(page, "Expand", "", ",".join(["2"] * 31), "BOOL", None, "1")
        assert 0 < len(cells(page, "output")) <= 480
        fits(page)


@test
def a_size_beyond_all_numbers(server):
    with playground(server) as page:
        enter(page, "Expand", "", "9223372036854775807, 0", "INT8", None, "1, 0")
        equal(page.text("#output-shape"), "INT8 [9223372036854775807, 0]")
        equal(page.text("#output-grid"), "no elements: axis 1 has size 0")


main()
