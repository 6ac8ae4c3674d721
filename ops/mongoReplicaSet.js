// Run by mongosh beside the servers of docker-compose.cluster.yml: makes them a replica set and gives it the user that Vigil is there, once. The
// first of them has the user `root`, whom its image has made, and the others have nothing.

const { readFileSync } = require('node:fs')

const members = ['mongo-1', 'mongo-2', 'mongo-3'].map((host, _id) => ({
  _id,
  host: `${host}:27017`,
}))
const secret = (name) => readFileSync(`/run/secrets/${name}`, 'utf8').trim()
const root = secret('mongodb-root-password')

db.getSiblingDB('admin').auth('root', root)
try {
  rs.status()
} catch (error) {
  if (error.codeName !== 'NotYetInitialized') throw error
  rs.initiate({ _id: 'rs0', members })
}

for (let tries = 0; db.hello().primary === undefined; tries += 1) {
  if (tries === 120) throw new Error('the replica set has no primary after a minute')
  sleep(500)
}

// whichever is the primary
const hosts = members.map(({ host }) => host).join(',')
try {
  connect(`mongodb://root:${root}@${hosts}/vigil?replicaSet=rs0&authSource=admin`).createUser({
    user: 'vigil',
    pwd: secret('mongodb-password'),
    roles: [{ role: 'readWrite', db: 'vigil' }],
  })
} catch (error) {
  // it is there
  if (error.code !== 51003) throw error
}
