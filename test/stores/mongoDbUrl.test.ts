import { expect, test } from 'vitest'
import { findMongoDbUrlMistakes, parseMongoDbUrl } from '../../src/stores/connectionStrings.ts'
import { connectMongoDb } from '../../src/stores/mongodb/mongoConnection.ts'

test.each([
  'mongodb://localhost',
  'mongodb://127.0.0.1:27017/fraud',
  'mongodb://[::1]:27017/',
  'mongodb://one:27017,two:27017,three/vigil?replicaSet=rs0&w=majority&readPreference=primary',
  'mongodb://vigil:p%40ss%2Fword@mongo/vigil?authSource=admin&tls=true&tlsCAFile=/etc/ca.pem',
  'mongodb://vigil@mongo/?authMechanism=MONGODB-X509&directConnection=true',
  'mongodb+srv://vigil:secret@cluster0.example.com/vigil?retryWrites=true&appName=x',
])('given %s, then it can be used', (url) => {
  expect(findMongoDbUrlMistakes(url)).toEqual([])
})

test.each([
  ['localhost:27017', 'must begin with mongodb://'],
  ['http://localhost', 'must begin with mongodb://'],
  ['mongodb://', 'must name hosts'],
  ['mongodb://vigil:p@ss@mongo/vigil', 'write them as %40 and %2F'],
  ['mongodb://vigil:p/ss@mongo/vigil', 'write them as %40 and %2F'],
  ['mongodb://vigil:%zz@mongo/vigil', 'not percent-encoded'],
  ['mongodb://mongo:port/vigil', 'must name hosts'],
  ['mongodb://mongo:99999/vigil', 'a port is 1 to 65535'],
  ['mongodb://one,[::1]:0/vigil', 'a port is 1 to 65535'],
  ['mongodb+srv://one,two/vigil', 'one host without a port'],
  ['mongodb+srv://one:27017/vigil', 'one host without a port'],
  ['mongodb://mongo/admin', 'must name a database of Vigil alone'],
  ['mongodb://mongo/a.b', 'at most 63 letters'],
  ['mongodb://mongo/vigil?w=1', 'has a value that w cannot have'],
  ['mongodb://mongo/vigil?readPreference=secondary', 'has a value that readPreference cannot have'],
  ['mongodb://mongo/vigil?socketTimeoutMS=0', 'not known or not yours to set: socketTimeoutMS'],
  ['mongodb://mongo/vigil?nonsense', 'not known or not yours to set: nonsense'],
])('given %s, then it is refused: %s', (url, words) => {
  expect(findMongoDbUrlMistakes(url).join(' ')).toContain(words)
})

test('given a password in a mistaken string, then no sentence quotes it', () => {
  const url = 'mongodb://vigil:s3cret-p@ss@mongo:x/admin?w=s3cret&s3cret'

  for (const mistake of findMongoDbUrlMistakes(url)) expect(mistake).not.toContain('s3cret-p')
})

test.each([
  ['mongodb://mongo', 'vigil'],
  ['mongodb://mongo/', 'vigil'],
  ['mongodb://mongo/?replicaSet=rs0', 'vigil'],
  ['mongodb://vigil:secret@mongo/fraud?authSource=admin', 'fraud'],
])('given %s, then its database is %s', (url, database) => {
  expect(parseMongoDbUrl(url).database).toBe(database)
})

test.each([
  ['mongodb://mongo/vigil', 20],
  ['mongodb://mongo/vigil?appName=x&MAXPOOLSIZE=77', 77],
])('given %s, then a thread has so many connections at most: %i', async (url, size) => {
  const connection = connectMongoDb({ url })

  expect(findMongoDbUrlMistakes(url)).toEqual([])
  expect(connection.database.client.options.maxPoolSize).toBe(size)
  await connection.close()
})
