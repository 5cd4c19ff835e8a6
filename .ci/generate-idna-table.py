#!/usr/bin/env python3
"""Writes Sources/LinnetHTTPTypes/IDNATable.swift, the Unicode data behind domain names with non-ASCII characters.

    pip install idna==3.19 unicodedata2==17.0.*
    python3 .ci/generate-idna-table.py > Sources/LinnetHTTPTypes/IDNATable.swift

`idna` supplies the mapping table of UTS 46 and the joining types, `unicodedata2` everything else; both must be of the
same Unicode version. The data is one run of variable-length integers (7 bits a byte, low bits first, the high bit set
on all but the last byte) in Base64. A count stands before each of the three sections:

1. Mapping, by ranges of code points that behave alike: (distance from the start of the last range << 3 | kind), then
   for kind 3 a signed offset, for kind 5 the number of code points and each as a signed distance from the one before
   (the first: from the start of the range). Kinds: 0 valid, 1 disallowed, 2 ignored, 3 mapped by adding an offset,
   4 every second one mapped to its successor, 5 mapped to a list.
2. Canonical decompositions: (distance from the last code point << 2 | composes << 1 | is a pair), then the first as a
   signed distance from the code point itself, then the second, if any, as it is. Hangul is computed.
3. Properties, by ranges: (distance << 1 | has a combining class), then bits (bidirectional class, joining type << 4,
   mark << 7), then the combining class, if any.
"""
import base64
import bisect
import sys

import idna.idnadata as idnadata
import idna.uts46data as uts46
import unicodedata2 as unicodedata

assert uts46.__version__ == unicodedata.unidata_version == idnadata.__version__, "Unicode versions differ"

VALID, DISALLOWED, IGNORED, OFFSET, ALTERNATING, LIST = range(6)
# The order is that of `BidiClass` in Sources/LinnetHTTPTypes/IDNATable+Decoding.swift.
BIDI = {name: index for index, name in enumerate(["other", "L", "R", "AL", "AN", "EN", "ES", "CS", "ET", "ON", "BN", "NSM"])}
JOINING = {name: index for index, name in enumerate("ULRDTC")}
HANGUL = range(0xAC00, 0xD7A4)
END = 0x110000


def varint(value):
    assert value >= 0
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value):
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def statuses():
    """For each code point: VALID, DISALLOWED, IGNORED or the string it is mapped to."""
    out = []
    for index, start in enumerate(uts46.uts46_starts):
        end = uts46.uts46_starts[index + 1] if index + 1 < len(uts46.uts46_starts) else END
        letter = chr(uts46.uts46_statuses[index])
        # "D" are the deviations, which non-transitional processing treats as valid.
        entry = {"V": VALID, "D": VALID, "X": DISALLOWED, "I": IGNORED}.get(letter)
        out += [uts46.uts46_replacements[index] if entry is None else entry] * (end - start)
    return out


def mapping_section(status):
    ranges = []
    at = 0
    while at < END:
        entry = status[at]
        end = at + 1
        if not isinstance(entry, str):
            while end < END and status[end] == entry:
                end += 1
            ranges.append((at, entry, b""))
        elif entry == chr(at + 1) and status[at + 1] == VALID:
            while end < END and status[end] == (VALID if (end - at) % 2 else chr(end + 1)):
                end += 1
            ranges.append((at, ALTERNATING, b""))
        elif len(entry) == 1:
            offset = ord(entry) - at
            while end < END and isinstance(status[end], str) and status[end] == chr(end + offset):
                end += 1
            ranges.append((at, OFFSET, signed(offset)))
        else:
            while end < END and status[end] == entry:
                end += 1
            payload = varint(len(entry))
            previous = at
            for character in entry:
                payload += signed(ord(character) - previous)
                previous = ord(character)
            ranges.append((at, LIST, payload))
        at = end
    out = varint(len(ranges))
    last = 0
    for start, kind, payload in ranges:
        out += varint((start - last) << 3 | kind) + payload
        last = start
    return out, len(ranges)


def decomposition_section():
    entries = []
    for point in range(END):
        character = chr(point)
        text = unicodedata.decomposition(character)
        if not text or text.startswith("<") or point in HANGUL:
            continue
        full = unicodedata.normalize("NFD", character)
        composes = unicodedata.normalize("NFC", full) == character
        entries.append((point, [int(part, 16) for part in text.split()], composes))
    out = varint(len(entries))
    last = 0
    for point, parts, composes in entries:
        out += varint((point - last) << 2 | composes << 1 | (len(parts) == 2)) + signed(parts[0] - point)
        if len(parts) == 2:
            out += varint(parts[1])
        last = point
    return out, len(entries)


def property_section(status):
    joining = {}
    for name, ranges in idnadata.joining_types.items():
        for packed in ranges:
            for point in range(packed >> 32, packed & 0xFFFFFFFF):
                joining[point] = name
    ranges = []
    for point in range(END):
        character = chr(point)
        combining = unicodedata.combining(character)
        if status[point] != VALID and combining == 0 and ranges and ranges[-1][2] == 0:
            continue  # Nothing but the combining class is looked at: the domain is refused.
        bits = BIDI.get(unicodedata.bidirectional(character), 0)
        bits |= JOINING[joining.get(point, "U")] << 4
        bits |= (unicodedata.category(character)[0] == "M") << 7
        if not ranges or ranges[-1][1:] != (bits, combining):
            ranges.append((point, bits, combining))
    out = varint(len(ranges))
    last = 0
    for start, bits, combining in ranges:
        out += varint((start - last) << 1 | (combining != 0)) + varint(bits)
        if combining:
            out += varint(combining)
        last = start
    return out, len(ranges)


def main():
    status = statuses()
    sections = [mapping_section(status), decomposition_section(), property_section(status)]
    for name, (data, count) in zip(["mapping", "decomposition", "property"], sections):
        print(f"{name}: {count} entries, {len(data)} bytes", file=sys.stderr)
    text = base64.b64encode(b"".join(data for data, _ in sections)).decode()
    print(f"""\
// Generated by .ci/generate-idna-table.py from the data of Unicode {uts46.__version__}; the script describes the format.

/// The Unicode data of ``IDNA`` in coded form.
extension IDNATable {{
  /// The Unicode version of the data.
  static var unicodeVersion: StaticString {{ "{uts46.__version__}" }}

  /// The coded sections, in Base64.
  static let coded = \"\"\"""")
    for at in range(0, len(text), 115):
        line = text[at : at + 115]
        print("    " + line + ("\\" if at + 115 < len(text) else ""))
    print('    """\n}')


main()
