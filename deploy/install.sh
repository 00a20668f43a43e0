#!/bin/sh
# Makes the package in /opt/guidepost a service of this machine: user, folders, settings, unit and command `guidepost`.
# Running it again, as after an upgrade, keeps the settings and the data, and restarts the service.
#   sh install.sh guide.example.com
set -eu
host=${1:?usage: install.sh HOST, the name under which browsers reach the guide}
if [ "$(id -u)" != 0 ]; then
  echo 'install.sh: run this as root' >&2
  exit 1
fi
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
fi
# deploy/prometheus.yml reads this file. Written each time, because Prometheus may have been installed since.
reader=$(getent group prometheus > /dev/null && echo prometheus || echo root)
sed -n 's/^METRICS_TOKEN=//p' /etc/guidepost/env | tr -d "\n\"'" |
  install -m 640 -g "$reader" /dev/stdin /etc/guidepost/metrics-token
install -m 644 "$here/guidepost.service" /etc/systemd/system/guidepost.service
install -m 755 "$here/guidepost-command.sh" /usr/local/bin/guidepost
systemctl daemon-reload
systemctl enable guidepost
systemctl restart guidepost

# The first start of a version may migrate the database.
if ! PATH="/opt/guidepost/node_modules/.bin:$PATH" timeout 60 node -e '
  const ask = () => fetch(`http://127.0.0.1:${process.argv[1] || 8787}/readyz`).then(({ ok }) => ok || again(), again);
  const again = () => setTimeout(ask, 200);
  ask();' "$(sed -n 's/^PORT=//p' /etc/guidepost/env)"; then
  echo 'install.sh: the service is not ready after a minute; journalctl -u guidepost says why' >&2
  exit 1
fi
