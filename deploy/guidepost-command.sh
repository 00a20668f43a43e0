#!/bin/sh
# The command line of the service that install.sh has set up: with its settings, as its user.
set -eu
if [ "$(id -u)" != 0 ]; then
  echo 'guidepost: run this as root, who may become the user of the service' >&2
  exit 1
fi
# Takes values as they are, as systemd does: a shell would run what follows `&` or `$(` in an address or a secret.
while IFS= read -r line || [ -n "$line" ]; do
  case $line in [A-Z]*=*) ;; *) continue ;; esac
  value=${line#*=}
  case $value in \"*\" | \'*\') value=${value#?} value=${value%?} ;; esac
  export "${line%%=*}=$value"
done < /etc/guidepost/env
export DATA_DIR=/var/lib/guidepost PATH="/opt/guidepost/node_modules/.bin:$PATH"
exec setpriv --reuid=guidepost --regid=guidepost --clear-groups -- \
  node /opt/guidepost/node_modules/guidepost/dist/guidepost.js "$@"
