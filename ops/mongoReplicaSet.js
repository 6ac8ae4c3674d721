// Run by mongosh on one of three servers of docker-compose.cluster.yml: makes them a replica set, once, and waits for its primary.

const members = ['mongo-1', 'mongo-2', 'mongo-3'].map((host, _id) => ({
  _id,
  host: `${host}:27017`,
}))

try {
  rs.status()
} catch (error) {
  if (error.codeName !== 'NotYetInitialized') throw error
  rs.initiate({ _id: 'rs0', members })
}

for (let tries = 0; tries < 120; tries += 1) {
  if (db.hello().primary !== undefined) quit(0)
  sleep(500)
}
print('the replica set has no primary after a minute')
quit(1)
