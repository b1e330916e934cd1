"""A model hub for tests: serves a folder with HEAD and GET, ranges, digests and redirects.

hub_server.py ROOT LOG: listens on a free port of 127.0.0.1, prints it, and logs each request with its Range.
ROOT/owner/name/file is /owner/name/resolve/REVISION/file. Beside a file, FILE.cut holds a count of bytes after which
the next GET breaks off (once), FILE.norange makes ranges be ignored, FILE.digest replaces the SHA-256, FILE.token names
the token that is needed.
"""
import hashlib
import http.server
import os
import sys


class Hub(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def log_message(self, *arguments):
        pass

    def note(self, text):
        with open(sys.argv[2], "a") as log:
            log.write(text + "\n")

    def file(self):
        path = self.path
        if path.startswith("/storage/"):
            return os.path.join(sys.argv[1], path[len("/storage/"):])
        owner, name, _, _, rest = path.lstrip("/").split("/", 4)
        return os.path.join(sys.argv[1], owner, name, rest)

    def side(self, name):
        path = self.file() + "." + name
        return open(path).read() if os.path.exists(path) else None

    def refused(self):
        path = self.file()
        if not os.path.isfile(path):
            self.send_error(404)
            return True
        token = self.side("token")
        if token and not self.path.startswith("/storage/"):
            if self.headers.get("Authorization") != "Bearer " + token:
                self.send_error(401)
                return True
        return False

    def redirect(self):
        path = self.file()
        self.send_response(302)
        data = open(path, "rb").read()
        digest = self.side("digest")
        if digest is None:
            digest = hashlib.sha256(data).hexdigest()
        if digest:
            self.send_header("X-Linked-ETag", '"' + digest + '"')
        self.send_header("X-Linked-Size", str(len(data)))
        self.send_header("Location", "/storage/" + os.path.relpath(path, sys.argv[1]))
        self.end_headers()

    def do_HEAD(self):
        self.note("HEAD " + self.path)
        if not self.refused():
            self.redirect()

    def do_GET(self):
        if self.refused():
            return
        if not self.path.startswith("/storage/"):
            self.redirect()
            return
        asked = self.headers.get("Range")
        self.note("GET %s %s" % (self.path, asked))
        data = open(self.file(), "rb").read()
        begin = 0
        if asked and self.side("norange") is None:
            begin = int(asked[len("bytes="):].split("-")[0])
            if begin >= len(data):
                self.send_error(416)
                return
            self.send_response(206)
            self.send_header("Content-Range", "bytes %d-%d/%d" % (begin, len(data) - 1, len(data)))
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(data) - begin))
        self.end_headers()
        body = data[begin:]
        cut = self.side("cut")
        if cut is not None:
            os.remove(self.file() + ".cut")
            body = body[:int(cut)]
        self.wfile.write(body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub)
print(server.server_port, flush=True)
server.serve_forever()
