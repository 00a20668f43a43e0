#!/bin/sh
# Makes the package in /opt/guidepost a service of this machine: user, folders, settings, unit, and the command `guidepost`.
# Running it again keeps the settings and the data.
#   sh install.sh guide.example.com
set -eu
host=${1:?usage: install.sh HOST, the name under which browsers reach the guide}
here=$(cd "$(dirname "$0")" && pwd)

getent passwd guidepost > /dev/null ||
  useradd --system --user-group --home-dir /var/lib/guidepost --shell /usr/sbin/nologin guidepost
install -d -m 755 /etc/guidepost
install -d -m 700 -o guidepost -g guidepost /var/lib/guidepost /var/backups/guidepost
if [ ! -e /etc/guidepost/env ]; then
  token=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
  install -m 640 -g guidepost /dev/stdin /etc/guidepost/env << ENV
PUBLIC_URL=https://$host
TRUSTED_PROXIES=loopback
BACKUP_DIR=/var/backups/guidepost
METRICS_TOKEN=$token
GUIDEPOST_DEMO=off
ENV
  # For deploy/prometheus.yml.
  reader=$(getent group prometheus > /dev/null && echo prometheus || echo root)
  printf '%s' "$token" | install -m 640 -g "$reader" /dev/stdin /etc/guidepost/metrics-token
fi
install -m 644 "$here/guidepost.service" /etc/systemd/system/guidepost.service
install -m 755 "$here/guidepost-command.sh" /usr/local/bin/guidepost
systemctl daemon-reload
systemctl enable --now guidepost
