#!/bin/sh
# Creates the database and its two roles: the owner migrates it, the service's role owns nothing.
set -eu
psql --username "${POSTGRES_USER:-postgres}" --set ON_ERROR_STOP=1 --set password="$POSTGRES_PASSWORD" <<'SQL'
CREATE ROLE guidepost_owner LOGIN PASSWORD :'password';
CREATE ROLE guidepost_app LOGIN PASSWORD :'password';
CREATE DATABASE guidepost OWNER guidepost_owner TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C';
SQL
