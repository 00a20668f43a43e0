#!/bin/sh
# The command line of the service that install.sh has set up: with its settings, as its user.
set -eu
set -a
. /etc/guidepost/env
DATA_DIR=/var/lib/guidepost
PATH=/opt/guidepost/node_modules/.bin:$PATH
set +a
exec setpriv --reuid=guidepost --regid=guidepost --clear-groups -- \
  node /opt/guidepost/node_modules/guidepost/dist/guidepost.js "$@"
