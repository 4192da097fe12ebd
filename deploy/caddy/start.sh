#!/bin/sh
# Starts Caddy once both names are set.
set -eu

for variable in EDGE_API_NAME EDGE_CONSOLE_NAME; do
  # Without a value, docker compose gives a blank.
  eval "name=\$$variable"
  case $name in
    *[!A-Za-z0-9.-]* | '')
      echo "$variable must be the name of a host, such as topup.example.com: run \"sh deploy/make-env.sh API_NAME CONSOLE_NAME\"" >&2
      exit 1
      ;;
  esac
done

exec caddy run --config /etc/topup/Caddyfile
