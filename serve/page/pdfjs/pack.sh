#!/bin/sh
# Packs the parts of PDF.js that pages use into pdfjs.zip, with their licences: the smallest build that
# draws pages, and the decoders of pictures. Needs npm and zip.
set -eu
version=5.6.205
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work"
npm pack --silent "pdfjs-dist@$version" >&2
tar xzf "pdfjs-dist-$version.tgz"
cd package
mkdir pack
cp build/pdf.min.mjs build/pdf.worker.min.mjs wasm/jbig2.wasm wasm/openjpeg.wasm wasm/qcms_bg.wasm pack/
cp LICENSE "$here/LICENSE"
for f in OPENJPEG PDFJS_OPENJPEG JBIG2 PDFJS_JBIG2 QCMS PDFJS_QCMS; do cp "wasm/LICENSE_$f" "$here/LICENSE-$f"; done
cd pack
touch -d 1985-10-26T00:00Z ./*
rm -f "$here/pdfjs.zip"
zip -9 -X "$here/pdfjs.zip" ./* >&2
