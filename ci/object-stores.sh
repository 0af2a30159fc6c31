#!/usr/bin/env bash
# Compares duke rclone:// with `rclone size` on a local S3 server (moto), and makes the server fail in the middle of a list.
# usage: ci/object-stores.sh DUKE [PYTHON [PORT]]
# PYTHON needs moto[server] and boto3. The servers listen on 127.0.0.1 for this run only and are ended by their IDs.
# With PORT, the S3 server that listens on this port of 127.0.0.1 is used instead of moto. Its user is `test`, with the
# secret `testtest`. The script creates the bucket `data` there and does not delete it.
set -euo pipefail
duke=$(realpath "$1"); python=${2:-python3}; direct=${3-}
work=$(mktemp -d); servers=()
stop() { for id in "${servers[@]}"; do kill "$id" 2>/dev/null || true; wait "$id" 2>/dev/null || true; done; }
trap 'stop; rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
modules="boto3"; [ -n "$direct" ] || modules="moto.server, boto3"
if ! command -v rclone >/dev/null || ! "$python" -c "import $modules" 2>/dev/null; then
  echo "SKIPPED: needs rclone, and moto[server] and boto3 for $python"; exit 0
fi
unset AWS_CA_BUNDLE
cd "$work"

# A proxy in front of moto. The file `mode` determines what happens to a list request after two pages.
cat > proxy.py <<'PY'
import http.client, http.server, os, sys
lists = 0
ERROR = '<?xml version="1.0"?><Error><Code>%s</Code><Message>%s</Message></Error>'
class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def answer(self, code, body, kind='application/xml'):
        self.send_response(code); self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(body))); self.end_headers()
        if self.command == 'GET':
            self.wfile.write(body)
    def do_GET(self):
        global lists
        mode = open('mode').read().split()
        if mode[0] == 'reset':
            lists = 0; open('mode', 'w').write(mode[1])
            mode = mode[1:]
        is_versions = 'versions' in self.path.split('?')[-1].split('&') or 'versions=' in self.path
        if mode[0] == 'no-versions' and is_versions:
            return self.answer(403, (ERROR % ('AccessDenied', 'Access Denied')).encode())
        lists += self.path.startswith('/data?')
        if lists > 2:
            if mode[0] == 'throttled' and lists < 5:
                return self.answer(503, (ERROR % ('SlowDown', 'Reduce your request rate')).encode())
            if mode[0] == 'expired':
                return self.answer(400, (ERROR % ('ExpiredToken', 'The provided token has expired.')).encode())
            if mode[0] == 'dying':
                os._exit(0)
        server = http.client.HTTPConnection('127.0.0.1', int(sys.argv[2]))
        server.request(self.command, self.path, headers={k: v for k, v in self.headers.items()})
        got = server.getresponse()
        self.answer(got.status, got.read(), got.getheader('Content-Type', 'application/xml'))
    do_HEAD = do_GET
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(('127.0.0.1', int(sys.argv[1])), Proxy).serve_forever()
PY
read -r free port < <("$python" -c '
import socket
a, b = socket.socket(), socket.socket()
a.bind(("127.0.0.1", 0)); b.bind(("127.0.0.1", 0)); print(a.getsockname()[1], b.getsockname()[1])')
if [ -z "$direct" ]; then
  direct=$free
  "$python" -m moto.server -H 127.0.0.1 -p "$direct" > moto.log 2>&1 & servers+=($!)
fi
start_proxy() { "$python" proxy.py "$port" "$direct" & servers+=($!); }
echo whole > mode
start_proxy
for _ in $(seq 100); do
  { : > "/dev/tcp/127.0.0.1/$direct" && : > "/dev/tcp/127.0.0.1/$port"; } 2>/dev/null && break; sleep 0.2
done
remote() {
  printf '[%s]\ntype = s3\nprovider = Other\naccess_key_id = test\nsecret_access_key = testtest\nregion = us-east-1\n' "$1"
  printf 'endpoint = http://127.0.0.1:%s\n' "$2"
}
{ remote direct "$direct"; remote s3 "$port"; } > rclone.conf
export RCLONE_CONFIG=$work/rclone.conf RCLONE_LOW_LEVEL_RETRIES=4

# 3500 objects in two levels of directories with hostile names, several versions of one object, a deleted object, and
# two unfinished uploads, one of them with a part.
"$python" - "$direct" <<'PY'
import boto3, sys
client = boto3.client('s3', endpoint_url='http://127.0.0.1:' + sys.argv[1], region_name='us-east-1',
                      aws_access_key_id='test', aws_secret_access_key='testtest')
client.create_bucket(Bucket='data')
client.put_bucket_versioning(Bucket='data', VersioningConfiguration={'Status': 'Enabled'})
for n in range(3500):
    client.put_object(Bucket='data', Key=f"d{n % 7}/it's $({n % 11})/{n}", Body=b'x' * (n % 1000),
                      StorageClass=('STANDARD', 'GLACIER', 'STANDARD_IA')[n % 3])
for n in range(1, 4):
    client.put_object(Bucket='data', Key='versioned', Body=b'x' * 10000 * n)
client.put_object(Bucket='data', Key='d2/deleted', Body=b'x' * 777)
client.delete_object(Bucket='data', Key='d2/deleted')
client.create_multipart_upload(Bucket='data', Key='d1/unfinished')
upload = client.create_multipart_upload(Bucket='data', Key='other')['UploadId']
client.upload_part(Bucket='data', Key='other', UploadId=upload, PartNumber=1, Body=b'x' * (5 << 20))
PY

# Prints the number of files and bytes, as duke and rclone see them, and the error number of the root.
seen() { "$python" -c '
import json, sys
root = json.load(sys.stdin)["roots"][0]
def files(entry):
    return sum(map(files, entry["children"])) if "children" in entry else entry.get("type", "file") == "file"
print(files(root), root["apparent"], root.get("errno", 0))'; }
sized() { rclone size --json "$@" | "$python" -c 'import json, sys; x = json.load(sys.stdin); print(x["count"], x["bytes"], 0)'; }
same() { [ "$2" = "$3" ] || fail "$1: duke '$2', rclone '$3'"; echo "$1: $2"; }

same objects "$("$duke" --json -q rclone://s3:data | seen)" "$(sized s3:data)"
# Prints the number of objects of each storage class.
classes() { sort | uniq -c | tr -s ' \n' ' '; }
duke_classes() { "$duke" --ndjson -q "$@" | sed -n 's/.*"storage_class":"\([^"]*\)".*/\1/p' | classes; }
listed=$(rclone lsf -R --files-only --format T s3:data | classes)
same classes "$(duke_classes rclone://s3:data)" "$listed"
"$duke" --ndjson -q rclone://s3:data | "$duke" save -q -f - -o data.duke
same 'classes in a snapshot' "$(duke_classes -f data.duke)" "$listed"
same directory "$("$duke" --json -q 'rclone://s3:data/d3' | seen)" "$(sized s3:data/d3)"
# Every name and size, of versions and uploads too, is one that rclone prints.
"$duke" --json -q --versions --uploads rclone://s3:data | "$python" -c '
import json, sys
def show(entry, path):
    for child in entry["children"]:
        name = path + child["name"]
        show(child, name + "/") if "children" in child else print(name, child.get("apparent", 0), sep="\t")
show(json.load(sys.stdin)["roots"][0], "")' | LC_ALL=C sort > listed.duke
{
  rclone lsf -R --files-only --s3-versions --format ps --separator $'\t' s3:data
  rclone backend list-multipart-uploads s3:data | "$python" -c '
import json, sys
for upload in json.load(sys.stdin)["data"]:
    print("%s (unfinished upload %s)\t0" % (upload["Key"], upload["UploadId"]))'
} | LC_ALL=C sort > listed.rclone
diff listed.duke listed.rclone > differences || { head differences; fail "listing: the names or sizes differ"; }
[ "$(grep -c '(unfinished upload ' listed.duke)" = 2 ] || fail "listing: not two uploads"
echo "listing: $(wc -l < listed.duke) names and sizes, with versions and uploads, are those of rclone"
same versions "$("$duke" --json -q --versions rclone://s3:data | seen)" "$(sized --s3-versions s3:data)"
# The command of a cleanup script deletes one noncurrent version, and only that.
before=$(sized --s3-versions s3:data)
read -r name size < <(rclone lsf --files-only --s3-versions --format ps --separator ' ' --include 'versioned-v*' s3:data | head -n 1)
rclone deletefile --s3-versions -- "direct:data/$name"
read -r count bytes _ <<< "$before"
same 'without one version' "$("$duke" --json -q --versions rclone://s3:data | seen)" "$((count - 1)) $((bytes - size)) 0"
read -r count bytes _ < <(sized s3:data)
same uploads "$("$duke" --json -q --uploads rclone://s3:data | seen)" "$((count + 2)) $bytes 0"

# A list that fails must keep the objects of the first pages, mark the root, and report the cause.
broken() {
  local name=$1 cause=$2 files; shift 2
  if "$duke" --json -q "$@" > out.json 2> error; then fail "$name: no error"; fi
  grep -qE "$cause" error || fail "$name: $(cat error)"
  read -r files _ errno < <(seen < out.json) || fail "$name: nothing was shown"
  [ "$files" -ge "${least:-1000}" ] && [ "$files" -lt "$count" ] || fail "$name: $files files"
  [ "$errno" != 0 ] || fail "$name: the root is not marked"
  echo "$name: $files of $count objects; $(cat error)"
}
echo 'reset throttled' > mode
same throttled "$("$duke" --json -q rclone://s3:data | seen)" "$(echo whole > mode; sized s3:data)"
echo 'reset expired' > mode
broken expired 'ExpiredToken' rclone://s3:data
echo 'no-versions' > mode
if "$duke" -n --versions rclone://s3:data > out 2> error; then fail "no permission for versions: no error"; fi
grep -q AccessDenied error || fail "no permission for versions: $(cat error)"
echo "no permission for versions: $(cat error)"
echo 'reset dying' > mode
broken dying 'refused|EOF|reset' rclone://s3:data
