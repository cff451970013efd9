"""Pages in a headless Chromium, as a person sees them.

    with visit(server, "/", PHONE, "dark") as page:
        page.get_by_role("button", name="Run").click()
        page.picture("playground-phone-dark")

A visit fails if the page said anything on the console, raised an error, or asked another host for something. Pictures are
saved in browser-pictures, in the folder that the test runs in (the build's).
"""
import atexit
import contextlib
import functools
import os
import re

import environment
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright
from wire import seconds

PICTURES = "browser-pictures"
DESKTOP = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "has_touch": True, "is_mobile": True}
LOOKS = [("desktop, light", DESKTOP, "light"), ("desktop, dark", DESKTOP, "dark"),
         ("phone, light", PHONE, "light"), ("phone, dark", PHONE, "dark")]

# What Chromium itself writes for an answer above 399, which is no fault of the page.
REFUSED = re.compile(r"Failed to load resource: the server responded with a status of [45]")


@functools.lru_cache
def chromium():
    """The browser, started at the first visit; it ends with the test."""
    playwright = sync_playwright().start()
    atexit.register(playwright.stop)
    # The sandbox of Chromium cannot be had by root.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    browser = playwright.chromium.launch(executable_path=environment.program(), args=arguments)
    atexit.register(browser.close)
    return browser


class Visit:
    """A page (everything that is not here is Playwright's), and what it did besides being shown."""

    def __init__(self, page, origin):
        self.page, self.origin = page, origin
        self.said, self.asked = [], []
        page.on("console", lambda message: self.said.append("%s: %s" % (message.type, message.text)))
        page.on("pageerror", lambda error: self.said.append("error: %s" % error))
        page.on("request", lambda request: self.asked.append((request.method, request.url)))

    def __getattr__(self, name):
        return getattr(self.page, name)

    def picture(self, name):
        os.makedirs(PICTURES, exist_ok=True)
        self.page.screenshot(path=os.path.join(PICTURES, name + ".png"), full_page=True)

    def text(self, selector):
        return self.page.locator(selector).inner_text()

    def texts(self, selector):
        return self.page.locator(selector).all_inner_texts()

    def posts(self):
        """The paths that were posted to."""
        return [url[len(self.origin):] for method, url in self.asked if method == "POST"]

    def check(self):
        said = [line for line in self.said if not REFUSED.search(line)]
        assert not said, "on the console: %s" % said
        others = [url for _, url in self.asked if not url.startswith((self.origin + "/", "data:", "blob:"))]
        assert not others, "asked another host: %s" % others


@contextlib.contextmanager
def visit(server, path="/", device=DESKTOP, scheme="light", **options):
    origin = "http://127.0.0.1:%d" % server.address[1]
    context = chromium().new_context(**device, color_scheme=scheme, **options)
    try:
        context.set_default_timeout(1000 * seconds(8))
        page = Visit(context.new_page(), origin)
        page.goto(origin + path)
        yield page
        page.check()
    finally:
        context.close()


def accessible(page, **options):
    """Fails with what axe-core finds: https://dequeuniversity.com/rules/axe explains its rules."""
    found = Axe().run(page.page, **options).response["violations"]
    faults = ["%s: %s: %s" % (rule["id"], rule["help"], [node["target"] for node in rule["nodes"]][:5]) for rule in found]
    assert not faults, "\n".join(faults)


def fits(page):
    """Nothing sticks out at the side."""
    width = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert width[0] <= width[1], width
