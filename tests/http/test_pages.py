"""The pages for people, as files: who gets them, what they may load, and that all of it is there. What they do in a browser
is tested in tests/browser."""
import gzip
import re

from harness import Skip, equal, main, test
from tensors import check_problem

BROWSERS = [
    ("Chromium", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"),
    ("Firefox", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
    ("html alone", "text/html"),
    ("html a little more", "application/json;q=0.5, text/html;q=0.6"),
]
OTHERS = [
    ("nothing", None), ("curl", "*/*"), ("JSON", "application/json"), ("JSON more", "text/html;q=0.5, application/json"),
    ("both", "text/html, application/json"), ("html refused", "text/html;q=0"), ("text", "text/plain"), ("empty", ""),
]


def page(server, target="/"):
    answer = server.request("GET", target, headers={"Accept": "text/html"})
    equal((answer.status, answer.get("Content-Type")), (200, "text/html; charset=utf-8"))
    return answer


@test(rows=BROWSERS)
def browsers_get_the_playground(server, accept):
    answer = server.request("GET", "/", headers={"Accept": accept})
    equal((answer.status, answer.get("Content-Type")), (200, "text/html; charset=utf-8"))
    assert b"<!DOCTYPE html>" in answer.body
    equal(set(answer.get_all("Vary")), {"Accept", "Accept-Encoding"})


@test(rows=OTHERS)
def others_get_the_index(server, accept):
    answer = server.request("GET", "/", headers=[] if accept is None else {"Accept": accept})
    equal((answer.status, answer.get("Content-Type"), answer.get("Vary")), (200, "application/json", "Accept"))
    index = answer.json()
    for link in (index["documentation"], index["openapi"]):
        equal(server.request("GET", link).status, 200, link)


@test
def a_page_that_is_there_is_not_sent_again(server):
    tag = page(server).get("ETag")
    answer = server.request("GET", "/", headers={"Accept": "text/html", "If-None-Match": tag})
    equal((answer.status, answer.body), (304, b""))


@test(rows=[("playground", "/"), ("reference", "/docs")])
def scripts_come_from_here_only(server, target):
    policy = dict(part.split(" ", 1) for part in page(server, target).get("Content-Security-Policy").split("; "))
    equal((policy["default-src"], policy["script-src"], policy["connect-src"]), ("'none'", "'self'", "'self'"))
    equal((policy["frame-ancestors"], policy["base-uri"]), ("'none'", "'none'"))
    equal(page(server, target).get("X-Content-Type-Options"), "nosniff")


@test
def the_playground_has_nothing_inline(server):
    equal(page(server).get("Content-Security-Policy").count("unsafe"), 0)
    text = page(server).body.decode()
    assert not re.search(r"<style| style=|<script(?![^>]* src=)| on[a-z]+=", text), "something inline"


def links(text):
    """What a page or a module names: files, and other pages."""
    return set(re.findall(r'(?:href|src)="([^"]+)"', text)) | {
        "/assets/" + name for name in re.findall(r'(?:from|import) "\./([^"]+)"', text)}


def reachable(server, start):
    """{target: answer} of all that can be reached from a page."""
    found, todo = {}, [start]
    while todo:
        target = todo.pop()
        if target in found:
            continue
        found[target] = server.request("GET", target, headers={"Accept": "text/html"})
        kind = found[target].get("Content-Type").split(";")[0]
        if kind in ("text/html", "text/javascript") and "swagger" not in target:
            todo += links(found[target].body.decode())
    return found


@test(rows=[("playground", "/"), ("reference", "/docs")])
def all_that_a_page_names_is_there(server, target):
    found = reachable(server, target)
    assert len(found) > 3, sorted(found)
    for name, answer in found.items():
        assert name.startswith("/"), "another host: %s" % name
        equal(answer.status, 200, name)
        if name.startswith("/assets/"):
            ending = name.rpartition(".")[2]
            kinds = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
                     "txt": "text/plain; charset=utf-8"}
            equal(answer.get("Content-Type"), kinds[ending], name)


@test
def a_large_file_is_unpacked_for_who_takes_no_gzip(server):
    target = "/assets/swagger-ui-bundle.js"
    packed = server.request("GET", target, headers={"Accept-Encoding": "gzip"})
    if packed.status == 404:
        raise Skip("built without Swagger UI")
    plain = server.request("GET", target)
    equal((packed.get("Content-Encoding"), plain.get("Content-Encoding")), ("gzip", None))
    equal(gzip.decompress(packed.body), plain.body)
    assert len(plain.body) > 2 * len(packed.body) > 0
    assert plain.get("ETag") != packed.get("ETag")


@test(rows=[("unknown", "/assets/nothing.js"), ("none", "/assets"), ("a folder above", "/assets/../openapi.json"),
            ("a part of a name", "/assets/playground")])
def there_is_no_such_file(server, target):
    check_problem(server.request("GET", target), 404, "unknown_path", "")


main()
