"""tritonclient.http.aio, Triton's client with asyncio."""
import asyncio

import environment

environment.enter()

import tritonclient.http.aio as aio  # noqa: E402

import triton  # noqa: E402
from examples import check, example, expanded  # noqa: E402
from harness import main, test  # noqa: E402


class Waiting:
    """The client, with each of its methods waited for."""

    def __init__(self, address):
        self.loop = asyncio.new_event_loop()
        self.client = self.wait(self.open("%s:%d" % address))

    async def open(self, url):
        return aio.InferenceServerClient(url)

    def wait(self, coroutine):
        return self.loop.run_until_complete(coroutine)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.wait(self.client.close())
        self.loop.close()

    def __getattr__(self, name):
        return lambda *arguments, **options: self.wait(getattr(self.client, name)(*arguments, **options))


def connect(server):
    return Waiting(server.address)


@test
def keeps_several_calls_in_flight(server):
    async def ask(client, n):
        want = expanded(example("INT32"), n, 3, 2)
        result = await client.infer("expand", triton.expand_inputs(example("INT32"), "INT32", want.shape, n % 2 == 0))
        check(result.as_numpy("output"), want)

    async def ask_all():
        async with aio.InferenceServerClient("%s:%d" % server.address) as client:
            await asyncio.gather(*(ask(client, n) for n in range(1, 101)))
    asyncio.run(ask_all())


triton.calls(connect)
main(relay=True)
