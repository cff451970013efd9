"""What a person does on the playground, and sees there."""
import contextlib

from browser import DESKTOP, visit


@contextlib.contextmanager
def playground(server, device=DESKTOP, scheme="light", path="/", **options):
    with visit(server, path, device, scheme, **options) as page:
        settled(page)
        yield page


def settled(page):
    """Waits until what was typed last has been answered."""
    page.locator("#status:not([data-busy]):not(:empty)").wait_for()


def run(page, expect="HTTP"):
    """Presses the button and waits for the answer, whose status line holds `expect`."""
    page.evaluate("document.getElementById('status').textContent = ''")
    page.get_by_role("button", name="Run").click()
    page.locator("#status:not([data-busy])", has_text=expect).wait_for()


def enter(page, model, data, second, type="FP32", version=None, shape=""):
    """Fills the form as a person would and runs it."""
    page.get_by_role("radio", name=model).check()
    if version:
        page.get_by_label("Version").select_option(version)
    page.get_by_label("Type").select_option(type)
    page.locator("#data").fill(data)
    page.get_by_label("has shape").fill(shape)
    page.locator("#list").fill(second)
    run(page)


def example(page, name):
    page.evaluate("document.getElementById('status').textContent = ''")
    page.get_by_role("button", name=name, exact=True).click()
    settled(page)


def cells(page, side):
    """[(index, text, number of the element of the input)] of the grid "input" or "output"."""
    rows = page.evaluate("""side => [...document.querySelectorAll(`#${side}-grid .element`)].map(
        cell => [cell.dataset.index, cell.textContent, Number(cell.dataset.source)])""", side)
    return [(tuple(int(i) for i in index.split(", ")) if index else (), text, source) for index, text, source in rows]


def colours(page, side):
    """{number of an element: its colours}."""
    pairs = page.evaluate("""side => [...document.querySelectorAll(`#${side}-grid .element`)].map(
        cell => [Number(cell.dataset.source), getComputedStyle(cell).backgroundColor])""", side)
    found = {}
    for source, colour in pairs:
        found.setdefault(source, set()).add(colour)
    return found


def rule(page):
    """The table of shapes: {row: texts of its columns}."""
    rows = page.evaluate("""() => [...document.querySelectorAll('#rule tr')].map(
        row => [...row.cells].map(cell => cell.textContent))""")
    return {row[0]: row[1:] for row in rows}
