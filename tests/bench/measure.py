"""What the rows of the table are made of: rounds in turns, ratios, medians, targets."""
import collections
import statistics

# A side of a comparison: `run` measures once and returns a dictionary of numbers; `peer` is the process it
# loads (None if there is none).
Side = collections.namedtuple("Side", "peer run")


class Missing(Exception):
    """A peer or a tool that cannot be had here; the text names it and says why."""


class Target:
    def __init__(self, text, met):
        self.text = text
        self.met = met


def at_least(limit, unit=""):
    return Target(">= %g%s" % (limit, unit), lambda value: value >= limit)


def at_most(limit, unit=""):
    return Target("<= %g%s" % (limit, unit), lambda value: value <= limit)


REPORTED = Target("(reported)", lambda value: True)


class Result:
    """One row: a value per round, or why there is none."""

    def __init__(self, key, what, target, values, unit="x", note="", skipped="", work=()):
        self.key = key
        self.what = what
        self.target = target
        self.values = list(values)
        self.unit = unit
        self.note = note
        self.skipped = skipped
        self.work = list(work)  # the same ratio by processor time: says more when others use the machine

    @property
    def value(self):
        return statistics.median(self.values)

    @property
    def met(self):
        return bool(self.skipped) or self.target.met(self.value)

    def verdict(self):
        if self.skipped:
            return "skipped"
        if self.target is REPORTED:
            return ""
        return "yes" if self.met else "**no**"

    def measured(self):
        if self.skipped:
            return self.skipped
        spread = " (%s to %s)" % (figure(min(self.values)), figure(max(self.values))) if len(self.values) > 1 else ""
        return "%s%s%s" % (figure(self.value), "" if self.unit == "x" else " " + self.unit, spread)

    def markdown(self):
        what = self.what + (": " + self.note if self.note else "")
        work = figure(statistics.median(self.work)) if self.work else ""
        return "| %s | %s | %s | %s | %s |" % (what, self.target.text, self.measured(), self.verdict(), work)

    def json(self):
        entry = {"key": self.key, "what": self.what, "target": self.target.text, "unit": self.unit, "note": self.note}
        if self.skipped:
            return dict(entry, skipped=self.skipped)
        return dict(entry, value=self.value, rounds=self.values, met=self.met, work=self.work)


def figure(value):
    """Three digits that mean something."""
    return "%.0f" % value if abs(value) >= 100 else "%.3g" % value


class Samples:
    """What the rounds measured: values by side, in the order of the rounds."""

    def __init__(self, missing):
        self.values = collections.defaultdict(list)
        self.missing = missing  # {name of a side: why it was not measured}

    def of(self, side, field):
        return [value[field] for value in self.values[side]]

    def ratio(self, key, what, target, over, under, field, note=""):
        """The row of over/under, round by round; skipped if one of them is missing."""
        for side in (over, under):
            if side in self.missing:
                return Result(key, what, target, [], note=note, skipped=self.missing[side])
        told = field == "rate" and "work" in self.values[over][0]
        work = self.ratios(over, under, "work") if told else ()
        return Result(key, what, target, self.ratios(over, under, field), note=note, work=work)

    def ratios(self, over, under, field):
        return [a / b for a, b in zip(self.of(over, field), self.of(under, field))]


def play(sides, rounds, missing=None):
    """Measures the sides in turns (A B, B A, A B ...), so that what the machine does besides hits all of them."""
    samples = Samples(missing or {})
    for number in range(rounds):
        order = list(sides.items())
        for name, side in order if number % 2 == 0 else reversed(order):
            samples.values[name].append(side.run())
    return samples
