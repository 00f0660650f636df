"""What proofs run beside: processes that only compute, and a network of each run's own, which needs root."""
import subprocess
import sys

BUSY = "import signal; signal.alarm({seconds})\nwhile True: pass"
LIMIT = 6 * 3_600
OWN_NETWORK = [
    "unshare", "--net", "--", "sh", "-c",
    "ip link set lo up multicast on && ip route add 224.0.0.0/4 dev lo && exec \"$@\"", "sh"]


def busy(count):
    """Processes that keep the cores busy. Each stops by itself, also if its script is killed."""
    return [
        subprocess.Popen([sys.executable, "-c", BUSY.format(seconds=LIMIT)], process_group=0) for _ in range(count)]
