#!/bin/sh
# Makes the secrets of the Compose files, each in a file of the folder `secrets` (or of the one that is named); what is there stays. Keep a copy of
# the folder where secrets are kept, apart from the data: without `master-key` the personal data in the log is closed for ever.
set -eu
folder=${1:-$(dirname "$0")/../secrets}

# Only this user enters the folder; in the containers users of other numbers read the files.
mkdir -p "$folder" && chmod 0700 "$folder"
cd "$folder"
random() { head -c "$1" /dev/urandom | base64 | tr -d '\n='; }
hexadecimal() { head -c "$1" /dev/urandom | od -An -tx1 | tr -d ' \n'; }
write() { if [ ! -s "$1" ]; then printf '%s\n' "$2" >"$1.new" && chmod 0444 "$1.new" && mv "$1.new" "$1"; fi; }

write operator-token "$(random 33)"
write master-key "$(hexadecimal 32)"
write mongodb-root-password "$(hexadecimal 24)"
write mongodb-password "$(hexadecimal 24)"
write mongodb-key "$(random 600)"
user="vigil:$(cat mongodb-password)"
write mongodb-url "mongodb://$user@mongo:27017/vigil"
write mongodb-cluster-url "mongodb://$user@mongo-1:27017,mongo-2:27017,mongo-3:27017/vigil?replicaSet=rs0"
