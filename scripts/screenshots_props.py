"""What the pictures of scripts/screenshots-bridges show: a film and a book, made here."""

import html
import re
import subprocess
import textwrap

#: The film, in seconds and in pixels.
LENGTH = 300
SIZE = "640x360"
#: A page, in points.
WIDTH, HEIGHT = 420, 280
#: Hills from the far ones to the near ones: colour, and outline in a picture of the film's size.
HILLS = [
    ("#9fbfae", "M0 250 86 150 150 205 242 95 348 210 426 140 540 235 640 178V360H0Z"),
    ("#5f9075", "M0 292 64 228 156 284 242 196 348 292 448 232 546 296 640 252V360H0Z"),
    ("#2f5d43", "M0 330 106 298 220 326 340 286 468 322 640 284V360H0Z"),
]


def convert(*arguments):
    subprocess.run(["convert", *map(str, arguments)], check=True)


def make_film(path):
    """A sun that goes over hills within some minutes, and the time in large digits: each place looks different."""
    folder = path.parent
    sky, sun, hills = (folder / f"{name}.png" for name in ("sky", "sun", "hills"))
    convert("-size", SIZE, "gradient:#7fb2d6-#fbe3c0", sky)
    convert("-size", "72x72", "xc:none", "-fill", "#f3b53f", "-draw", "circle 36,36 36,4", sun)
    convert("-size", SIZE, "xc:none", *(
        word for colour, outline in HILLS for word in ("-fill", colour, "-draw", f"path '{outline}'")), hills)
    clock = r"drawtext=font=DejaVu Sans:text='%{pts\:gmtime\:0\:%M\\\:%S}':fontsize=76:fontcolor=white:x=28:y=24:" \
        "shadowcolor=black@0.45:shadowx=3:shadowy=3"
    way = f"x='(W-w)*t/{LENGTH}':y='200-175*sin(PI*t/{LENGTH})'"
    still = ["-loop", "1", "-framerate", "5"]
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", *still, "-i", sky, *still, "-i", sun, *still, "-i", hills, "-filter_complex",
         f"[0][1]overlay={way}[a];[a][2]overlay,{clock},format=yuv420p", "-t", str(LENGTH), "-c:v", "libx264", "-preset",
         "ultrafast", "-crf", "16", "-g", "5", path], check=True)
    return path


def paragraphs(page):
    """Of a web page: each with the heading above it."""
    heading = ""
    for tag, text in re.findall(r"<(h1|h2|p)>(.*?)</\1>", page, re.S):
        text = html.unescape(" ".join(text.split()))
        if tag == "p":
            yield heading, text
        else:
            heading = text


def drawn(heading, text, number, count):
    """The content of a page: hills at its foot, a heading, a paragraph, and the page's number."""
    def line(font, size, x, y, words):
        words = re.sub(r"([()\\])", r"\\\1", words)
        return f"BT /{font} {size} Tf {x} {y} Td ({words}) Tj ET"

    parts = [f"0.98 0.97 0.95 rg 0 0 {WIDTH} {HEIGHT} re f"]
    for colour, outline in HILLS:
        red, green, blue = (int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5))
        across, up = WIDTH / 640, 0.24
        points = [(int(x) * across, (360 - int(y)) * up) for x, y in re.findall(r"(\d+) (\d+)", outline)]
        way = " ".join(f"{x:.1f} {y:.1f} l" for x, y in points)
        parts.append(f"{red:.3f} {green:.3f} {blue:.3f} rg 0 0 m {way} {WIDTH} 0 l f")
    parts.append("0.18 0.36 0.26 rg")
    parts.append(line("F1", 22, 32, HEIGHT - 48, heading))
    parts.append("0.16 0.16 0.15 rg")
    for index, words in enumerate(textwrap.wrap(text, 54)):
        parts.append(line("F2", 15, 32, HEIGHT - 80 - 21 * index, words))
    parts.append("1 1 1 rg")
    parts.append(line("F1", 13, WIDTH - 92, 17, f"page {number} of {count}"))
    return "\n".join(parts).encode("latin-1")


def make_book(path, source):
    """A PDF with a page for each paragraph of a web page; returns the number of pages."""
    pages = list(paragraphs(source.read_text()))
    kids = " ".join(f"{6 + 2 * index} 0 R" for index in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding >>",
        f"<< /Title ({pages[0][0]}) >>".encode(),
    ]
    for index, (heading, text) in enumerate(pages):
        stream = drawn(heading, text, index + 1, len(pages))
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {7 + 2 * index} 0 R "
            "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>".encode())
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    data, places = b"%PDF-1.4\n", b""
    for number, content in enumerate(objects, 1):
        places += b"%010d 00000 n \n" % len(data)
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    size = len(objects) + 1
    path.write_bytes(
        data + b"xref\n0 %d\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R /Info 5 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (size, places, size, len(data)))
    return len(pages)
