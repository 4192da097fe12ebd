#!/bin/sh
# Dumps the database every day at BACKUP_AT and keeps the newest BACKUP_KEEP dumps. `backup.sh now` makes one dump and ends.
#
# A dump gets its name only after it was read back from beginning to end. So each topup-*.dump is whole, however a run ends.
# Each attempt is a row of the table `backups`, whose age is the metric topup_backup_age_seconds. PGHOST, PGUSER, PGPASSWORD and
# PGDATABASE name the database.
set -eu
umask 077

folder=${BACKUP_FOLDER:-/backups}
keep=${BACKUP_KEEP:-14}
at=${BACKUP_AT:-03:30}
retry_seconds=3600

log() { echo "$(date -u +%FT%TZ) backup: $*"; }

fail() {
  log "$*" >&2
  exit 1
}

sql() { psql --no-psqlrc --no-align --tuples-only --quiet --set=ON_ERROR_STOP=1 --command="$1"; }

case $keep in
  '' | 0* | *[!0-9]*) fail "BACKUP_KEEP must be a number of dumps from 1, and is \"$keep\"" ;;
esac
date -d "today $at" >/dev/null 2>&1 || fail "BACKUP_AT must be a time such as 03:30, and is \"$at\""

back_up() {
  exec 9>"$folder/.lock"
  flock -n 9 || fail 'another backup is under way'
  # A killed run leaves its unfinished dump.
  rm -f "$folder"/.unfinished-*
  name=topup-$(date -u +%Y-%m-%dT%H%M%SZ).dump
  unfinished=$folder/.unfinished-$name
  trap 'rm -f "$unfinished"' EXIT
  # Before an upgrade, the table may not exist yet. The dump is worth more than its row.
  id=$(sql 'INSERT INTO backups DEFAULT VALUES RETURNING id') || log 'the attempt could not be recorded'
  pg_dump --format=custom --file="$unfinished" || fail 'pg_dump failed: no dump was added, and none was removed'
  pg_restore --file=/dev/null "$unfinished" || fail 'the new dump cannot be read: it was removed'
  bytes=$(stat -c %s "$unfinished")
  sync "$unfinished"
  mv "$unfinished" "$folder/$name"
  sync "$folder"
  log "$name has $bytes bytes and is whole"
  [ -z "$id" ] || sql "UPDATE backups SET completed_at = now(), bytes = $bytes WHERE id = $id"
  by_name=$(find "$folder" -maxdepth 1 -name 'topup-????-??-??T??????Z.dump' | sort -r)
  # A later name than this one is of a clock that was ahead. That dump is older, so it comes last.
  { echo "$by_name" | sed -n "/$name/,\$p" && echo "$by_name" | sed "/$name/,\$d"; } | tail -n "+$((keep + 1))" |
    while read -r old; do
      rm -f "$old"
      log "${old##*/} was removed: $keep others are kept"
    done
}

# A signal ends the shell while it waits, but not while a program runs in the foreground.
attend() {
  "$@" &
  wait $!
}

until_done() {
  until attend sh "$0" now; do
    log "the next attempt is in $retry_seconds seconds"
    attend sleep "$retry_seconds"
  done
}

await_next() {
  now=$(date +%s)
  next=$(date -d "today $at" +%s)
  [ "$next" -gt "$now" ] || next=$(date -d "tomorrow $at" +%s)
  log "the next dump is due on $(date -d "@$next" '+%F at %R %Z')"
  attend sleep $((next - now))
}

every_day() {
  # A program that is just starting would lose a TERM and go on for hours, but not a KILL.
  trap 'kill -KILL ${!:-} 2>/dev/null || :; exit 0' TERM INT
  # At the first start, the API has yet to make the tables. A wrong password never ends by itself: the log has the reason.
  said=''
  until why=$(sql 'SELECT FROM backups LIMIT 0' 2>&1); do
    [ "$why" = "$said" ] || log "waiting for the table of backups: $why"
    said=$why
    attend sleep 5
  done
  recent=$(sql "SELECT count(*) FROM backups WHERE completed_at IS NOT NULL AND started_at > now() - interval '1 day'")
  [ "$recent" -gt 0 ] || until_done
  while true; do
    await_next
    until_done
  done
}

case ${1:-every-day} in
  every-day) every_day ;;
  now) back_up ;;
  *) fail 'say "now", or nothing for a dump every day' ;;
esac
