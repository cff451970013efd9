"""Nothing is measured that answers wrong."""
import http.client


def ask(peer, request):
    connection = http.client.HTTPConnection("127.0.0.1", peer.port, timeout=60)
    connection.request(request.method, request.target, request.body, request.headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    if response.status != 200:
        raise RuntimeError("%s %s: %d %s" % (request.method, request.target, response.status, body[:500]))
    return body


def answers_with(peer, request, part):
    """Returns the length of the answer's body, which must contain `part`."""
    body = ask(peer, request)
    if part not in body:
        raise RuntimeError("%s %s: wrong answer %r, without %r" % (request.method, request.target, body[:500], part[:200]))
    return len(body)
