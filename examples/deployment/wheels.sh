#!/usr/bin/env bash
# Builds wheels of insight-record and insight-host for Linux with glibc 2.17 or later into dist/:
#
#     examples/deployment/wheels.sh x86_64
#     examples/deployment/wheels.sh aarch64 ROOT
#
# The wheels are for Python 3.11 or later; PYTHON (python3) is the version that builds them. Zig, a package of PyPI, is
# the C compiler for both. For another processor than this one ROOT is where an aarch64 Python of the version of PYTHON
# is unpacked, whose headers and sysconfig are used. From Debian's packages:
#
#     dpkg --add-architecture arm64 && apt-get update
#     apt-get download libpython3.11-dev:arm64 libpython3.11-minimal:arm64
#     for package in libpython3.11*.deb; do dpkg -x $package ROOT; done
set -euo pipefail
processor=${1:?x86_64 or aarch64}
root=${2:+$(realpath "$2")}
python=${PYTHON:-python3}
cd "$(dirname "$0")/../.."

tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
"$python" -m venv "$tools"
"$tools/bin/pip" install -q 'auditwheel>=6' build 'cython>=3.1' 'hatchling>=1.27' 'setuptools>=77' wheel ziglang
INSIGHT_HOST_SKIP_KERNEL=1 "$tools/bin/python" hatch_build.py # the front end

CC="$tools/bin/python -m ziglang cc -target $processor-linux-gnu.2.17"
settings=(CC="$CC" LDSHARED="$CC -shared -s")
if [ -n "$root" ]; then
	version=$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
	cp "$root/usr/lib/$version/_sysconfigdata__$processor-linux-gnu.py" "$tools/"
	settings+=(PYTHONPATH="$tools" _PYTHON_SYSCONFIGDATA_NAME="_sysconfigdata__$processor-linux-gnu"
		_PYTHON_HOST_PLATFORM="linux-$processor" CFLAGS="-I$root/usr/include -I$root/usr/include/$version")
fi
remove_compiled() { # of this checkout: they are of another compiler, or for another machine
	find insight_core insight_log_tables insight_record plugins -name '_*.so' -delete
	rm -f insight_core/.compiled
}
remove_compiled
env "${settings[@]}" "$tools/bin/python" -m build --no-isolation --wheel --outdir "$tools/dist" insight_record
env "${settings[@]}" INSIGHT_HOST_SKIP_FRONTEND=1 "$tools/bin/python" -m build --no-isolation --wheel --outdir "$tools/dist" .
remove_compiled

mkdir -p dist
for wheel in "$tools"/dist/*.whl; do
	shown=$("$tools/bin/python" -m auditwheel show "$wheel")
	[[ $shown =~ manylinux_2_(5|12|17)_$processor ]] || { echo "$shown"; exit 1; } >&2
	"$tools/bin/python" -m wheel tags --remove --platform-tag "manylinux_2_17_$processor" "$wheel"
done
mv "$tools"/dist/*.whl dist/
ls dist
