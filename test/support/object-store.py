"""OpenStack Swift with its S3 API in one process and one folder: python3 swift.py FOLDER. It prints its port when it accepts
connections, and ends with its standard input. The key is "test:tester", the secret "testing"; "test:reader" may do nothing."""
import os
import signal
import sys

import eventlet

eventlet.monkey_patch()

from eventlet import wsgi  # noqa: E402
from swift.common import utils  # noqa: E402

folder = os.path.abspath(sys.argv[1])
CONFIGURATION = {
    "swift.conf": """
[swift-hash]
swift_hash_path_suffix = test
[storage-policy:0]
name = one
default = yes
""",
    "proxy.conf": """
[DEFAULT]
swift_dir = {folder}
[pipeline:main]
pipeline = catch_errors gatekeeper listing_formats s3api tempauth copy slo versioned_writes proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
s3_acl = false
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
user_test_reader = testing
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_versioned_writes = true
""",
    "server.conf": """
[DEFAULT]
swift_dir = {folder}
devices = {folder}
mount_check = false
fallocate_reserve = 0
disable_fallocate = true
[pipeline:main]
pipeline = server
[app:server]
use = egg:swift#{kind}
replication_server = false
""",
}


def write(name, text, **values):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text.format(folder=folder, **values))
    return path


class Silence:
    def write(self, text):
        pass

    flush = write


class Cache(dict):
    """In place of memcached, which Swift's authentication requires."""

    def __bool__(self):
        return True

    def set(self, key, value, **options):
        self[key] = value

    def get(self, key, default=None, **options):
        return dict.get(self, key, default)

    def delete(self, key, **options):
        self.pop(key, None)

    def incr(self, key, delta=1, **options):
        self[key] = dict.get(self, key, 0) + delta
        return self[key]

    decr = incr


cache = Cache()


def serve(path, socket):
    inner = loadapp(path, global_conf={"log_address": os.devnull, "log_level": "CRITICAL"})

    def app(environ, start_response):
        environ["swift.cache"] = cache
        return inner(environ, start_response)

    eventlet.spawn(wsgi.server, socket, app, Silence(), debug=False, log_output=False)


os.makedirs(os.path.join(folder, "disk"))
write("swift.conf", CONFIGURATION["swift.conf"])
utils.SWIFT_CONF_FILE = os.path.join(folder, "swift.conf")
utils.validate_hash_conf()

from swift.common import constraints, storage_policy  # noqa: E402
from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402

constraints.reload_constraints()
storage_policy.reload_storage_policies()
sockets = {kind: eventlet.listen(("127.0.0.1", 0)) for kind in ("account", "container", "object", "proxy")}
for kind in ("account", "container", "object"):
    builder = RingBuilder(1, 1, 0)
    port = sockets[kind].getsockname()[1]
    address = {"ip": "127.0.0.1", "port": port, "replication_ip": "127.0.0.1", "replication_port": port}
    builder.add_dev({"id": 0, "region": 1, "zone": 1, "weight": 1, "device": "disk", "meta": "", **address})
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, f"{kind}.ring.gz"))
for kind in ("account", "container", "object"):
    serve(write(f"{kind}.conf", CONFIGURATION["server.conf"], kind=kind), sockets[kind])
serve(write("proxy.conf", CONFIGURATION["proxy.conf"]), sockets["proxy"])
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
print(sockets["proxy"].getsockname()[1], flush=True)
eventlet.tpool.execute(sys.stdin.read)
os._exit(0)
