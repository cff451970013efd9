"""The API reference at /docs, used as a person would."""
import environment

environment.enter()

import json  # noqa: E402
import tempfile  # noqa: E402

from browser import LOOKS, PHONE, accessible, fits, visit  # noqa: E402
from harness import Server, Skip, equal, main, test  # noqa: E402

# What axe-core finds in Swagger UI itself. In the frame around it nothing is let pass.
OF_SWAGGER_UI = ["color-contrast", "heading-order", "label", "landmark-main-is-top-level", "nested-interactive",
                 "region", "scrollable-region-focusable", "select-name"]


class reference:
    """A visit to /docs once all operations are there; skips the test if the program was built without Swagger UI."""

    def __init__(self, server, *look):
        if server.request("GET", "/assets/swagger-ui-bundle.js").status == 404:
            raise Skip("built without Swagger UI")
        self.visit = visit(server, "/docs", *look)

    def __enter__(self):
        page = self.visit.__enter__()
        page.locator(".opblock").first.wait_for()
        return page

    def __exit__(self, *raised):
        return self.visit.__exit__(*raised)


def swagger_warns(page):
    """Swagger UI says what it has no widget for, and shows another one."""
    page.said[:] = [line for line in page.said if not line.startswith("warning: Could not find component")]


def operation(page, name):
    """Opens an operation and gives its part of the page."""
    block = page.locator("[id$='-%s'].opblock" % name)
    block.locator(".opblock-summary-control").click()
    block.get_by_role("button", name="Execute").wait_for()
    return block


def execute(block):
    """Presses Execute: (status, body)."""
    block.get_by_role("button", name="Execute").click()
    answer = block.locator(".live-responses-table .response").first
    answer.wait_for()
    return answer.locator(".response-col_status").inner_text().split()[0], answer.locator(".highlight-code code").first.inner_text()


@test(rows=LOOKS, limit=90)
def shows_every_operation(server, device, scheme):
    contract = server.request("GET", "/openapi.json").json()
    operations = [path for path, item in contract["paths"].items() for method in item if method in ("get", "post")]
    with reference(server, device, scheme) as page:
        equal(page.locator(".opblock").count(), len(operations))
        shown = {text.replace("\u200b", "") for text in page.texts(".opblock-summary-path")}
        equal(shown, set(operations))
        accessible(page, context={"exclude": [["#reference"]]})
        accessible(page, options={"rules": {rule: {"enabled": False} for rule in OF_SWAGGER_UI}})
        fits(page)
        page.picture("docs-%s-%s" % ("phone" if device is PHONE else "desktop", scheme))


@test(limit=60)
def an_operation_fits_on_a_phone(server):
    with reference(server, PHONE) as page:
        equal(execute(operation(page, "expand"))[0], "200")
        fits(page)
        page.picture("docs-expand-phone")
        swagger_warns(page)


@test(rows=[("Expand", "expand", "output", [3, 4]), ("Unsqueeze", "unsqueeze", "expanded", None)], limit=60)
def an_operator_can_be_tried(server, name, output, shape):
    with reference(server) as page:
        status, body = execute(operation(page, name))
        equal(status, "200", body)
        answer = json.loads(body)["outputs"][0]
        equal(answer["name"], output)
        if shape:
            equal(answer["shape"], shape)
        page.picture("docs-%s" % name)
        swagger_warns(page)


@test(limit=60)
def a_request_can_be_changed(server):
    with reference(server) as page:
        block = operation(page, "expand")
        block.locator("textarea").first.fill('{"inputs":[}')
        status, body = execute(block)
        equal((status, json.loads(body)["code"]), ("400", "malformed_json"))
        swagger_warns(page)


@test(rows=[("metadata", "serverMetadata", "name"), ("models", "listModels", "models")], limit=60)
def what_there_is_can_be_asked(server, name, member):
    with reference(server) as page:
        status, body = execute(operation(page, name))
        equal((status, member in json.loads(body)), ("200", True), body)
        swagger_warns(page)


@test(limit=60)
def a_token_can_be_given(server):
    with tempfile.NamedTemporaryFile("w", suffix=".tokens") as file:
        file.write("a-token-of-some-length\n")
        file.flush()
        with Server("--token-file", file.name, "--open", "docs") as closed, reference(closed) as page:
            block = operation(page, "serverMetadata")
            equal(execute(block)[0], "401")
            page.get_by_role("button", name="Authorize").click()
            page.locator(".modal-ux input").fill("a-token-of-some-length")
            page.locator(".modal-ux .authorize").click()
            page.locator(".modal-ux .btn-done").click()
            block.get_by_role("button", name="Clear").click()
            equal(execute(block)[0], "200")
            swagger_warns(page)


@test(limit=60)
def the_theme_is_the_playgrounds(server):
    with reference(server) as page:
        page.goto(page.origin + "/")
        for _ in range(2):
            page.get_by_role("button", name="Theme").click()
        page.get_by_role("link", name="API reference").click()
        page.locator("html.dark-mode").wait_for()
        page.get_by_role("link", name="Playground").click()
        page.locator("#output-grid .element").first.wait_for()


@test(rows=LOOKS, limit=60)
def without_swagger_ui_a_plain_page(server, device, scheme):
    if server.request("GET", "/assets/swagger-ui-bundle.js").status != 404:
        raise Skip("built with Swagger UI")
    with visit(server, "/docs", device, scheme) as page:
        equal(page.text("h1"), "API reference")
        fits(page)
        accessible(page)
        page.picture("docs-plain-%s-%s" % ("phone" if device is PHONE else "desktop", scheme))
        page.get_by_role("link", name="/openapi.json").click()
        assert '"openapi"' in page.text("body")


main()
