"""PDF files, written by hand: one Helvetica line after the other."""

from collections.abc import Sequence


def pdf_file(pages: Sequence[Sequence[str]], title: str = "") -> bytes:
    """A file with the given lines on each page."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, lines in enumerate(pages):
        moves = "".join(f"({_escaped(line)}) Tj 0 -14 Td\n" for line in lines)
        stream = f"BT /F1 12 Tf 72 720 Td\n{moves}ET".encode("cp1252")
        objects += [
            (
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents "
                f"{5 + 2 * number} 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
            ).encode(),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        ]
    objects.append(f"<< /Title ({_escaped(title)}) >>".encode("cp1252"))
    return _numbered(objects)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _numbered(objects: list[bytes]) -> bytes:
    content = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    trailer = b"<< /Size %d /Root 1 0 R /Info %d 0 R >>" % (size, len(objects))
    start = len(content)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % size
    return content + head + rows + b"trailer\n%s\nstartxref\n%d\n%%%%EOF\n" % (trailer, start)
