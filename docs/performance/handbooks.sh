#!/bin/sh
# Makes a folder with a PDF of about a thousand pages and questions on it, for TestPapersMeasuredBrowser
# in cmd/agent/internal/serve: Debian's two handbooks, printed by Chromium.
#
#   apt-get download debian-handbook debian-reference-en
#   for f in *.deb; do dpkg -x $f unpacked; done
#   docs/performance/handbooks.sh unpacked FOLDER
set -eu
from=$1 to=$2
mkdir -p "$to/documents"
html=$(mktemp --suffix .html)
trap 'rm "$html"' EXIT
{
	echo '<!doctype html><html lang="en"><meta charset="utf-8"><title>Debian handbooks</title>'
	echo '<style>@page { size: A5; margin: 15mm } img { display: none } html { font-size: 120% } pre { white-space: pre-wrap }</style>'
	for f in "$from"/usr/share/doc/debian-handbook/html/en-US/*.html "$from"/usr/share/debian-reference/*.en.html; do
		sed -e 's/<link[^>]*>//g' -e 's/<script.*<\/script>//g' -e 's/<?xml[^>]*>//' -e 's/<!DOCTYPE[^>]*>//' "$f"
	done
} >"$html"
chromium --headless --no-sandbox --disable-gpu --no-pdf-header-footer --print-to-pdf="$to/documents/handbooks.pdf" "file://$html"
while read -r question; do
	printf '{"question": "%s", "answerable": true}\n' "$question"
done >"$to/questions.jsonl" <<'EOF'
What is a virtual package?
What does the dpkg-divert command do?
What is AppArmor?
What is the Filesystem Hierarchy Standard?
What is RAID 5?
What does LVM allow?
What is the role of the kernel?
Which file lists the package sources?
What is the Debian Social Contract?
What does the aptitude command do?
How do you change the system's default locale?
What is preseeding?
What does netfilter do?
What is a degraded RAID array?
What is the purpose of debconf?
What is systemd?
How is a partition encrypted?
What is the Debian policy?
What does the unattended-upgrades package do?
What is a swap partition?
What is the purpose of the sudo group?
What is the difference between a stable and a testing release?
What does fail2ban do?
What is a chroot?
What is Xen?
What does the rsync command do?
How do you list the files of an installed package?
What is a symbolic link?
What is the purpose of the FHS?
What is an inode?
EOF
