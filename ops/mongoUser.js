// Run by the entrypoint of the mongo image of docker-compose.yml on an empty volume, once: makes the user that Vigil is there (docs/guide/deployment.md).

const { readFileSync } = require('node:fs')

db.getSiblingDB('vigil').createUser({
  user: 'vigil',
  pwd: readFileSync('/run/secrets/mongodb-password', 'utf8').trim(),
  roles: [{ role: 'readWrite', db: 'vigil' }],
})
