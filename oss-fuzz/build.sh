#!/bin/bash -eu
# SPDX-License-Identifier: Apache-2.0 (http://www.apache.org/licenses/LICENSE-2.0)
#
# Builds every fuzzer of Fuzz/ for OSS-Fuzz: programs, the shared libraries that they need, seeds, dictionaries, options.
# The image sets SRC, OUT, WORK, SANITIZER, CFLAGS and CXXFLAGS.
set -o pipefail

# The flags of the image: the engine, the sanitizer, a static standard library (for tools version 6.2 and later).
# shellcheck source=/dev/null
. precompile_swift

cd "$SRC/swift-multipeer/Fuzz"
export SWIFT_BACKTRACE=enable=no

# One folder a program. The canary has a bug on purpose, and is for Scripts/fuzz alone.
targets=()
for folder in Sources/Programs/*/; do
    name=$(basename "$folder")
    [[ $name == Canary ]] || targets+=("$name")
done

read -ra flags <<<"$SWIFT6_2FLAGS"
flags+=(-Xswiftc -enable-testing -Xswiftc -DLIBFUZZER)
# Without these nothing but the entry points is counted, and of the image's two `--sanitize` only one reaches Swift code: the
# compiler takes the last, and SwiftPM has no fixed order. Coverage builds have their own counters.
if [[ $SANITIZER != coverage ]]; then
    flags+=(-Xswiftc -sanitize=address,fuzzer)
    flags+=(-Xswiftc -sanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp)
fi
# Programs look for libraries beside themselves, and so do the libraries that they load: only the old tag is inherited.
flags+=(-Xlinker -rpath -Xlinker "\$ORIGIN/lib" -Xlinker --disable-new-dtags)

swift build -c release --scratch-path "$WORK/build" "${flags[@]}"
programs=$(swift build -c release --scratch-path "$WORK/build" "${flags[@]}" --show-bin-path)

# Nothing that the Dockerfile installs is there at run time. glibc is, and must be the runner's own.
mkdir -p "$OUT/lib"
copy_libraries() {
    ldd "$1" | sed -nE 's/^\s*\S+ => (\/\S+) .*/\1/p' | while read -r library; do
        [[ $library == "$OUT"/* ]] && continue  # copied for another program
        case ${library##*/} in
        libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | libresolv.so.* | libutil.so.* | ld-linux*) ;;
        *) install -m 644 "$library" "$OUT/lib/" ;;
        esac
    done
}

for target in "${targets[@]}"; do
    program=Fuzz$target
    install -m 755 "$programs/$program" "$OUT/$program"
    copy_libraries "$OUT/$program"
    # What was built must run from where it now is.
    read -r length _ < <(env -u LD_LIBRARY_PATH "$OUT/$program" --describe)
    printf '[libfuzzer]\nmax_len = %s\n' "$length" >"$OUT/$program.options"

    seeds=$WORK/seeds/$target
    rm -rf "$seeds"
    "$OUT/$program" --seeds ../Vectors/v1 "$seeds"
    for folder in "Corpus/$target" "Regressions/$target"; do
        [[ -d $folder ]] && cp "$folder"/* "$seeds/"
    done
    rm -f "$OUT/${program}_seed_corpus.zip"
    (cd "$seeds" && find . -type f | zip -q -@ "$OUT/${program}_seed_corpus.zip")

    [[ -e Dictionaries/$target.dict ]] && cp "Dictionaries/$target.dict" "$OUT/$program.dict"
done
true
