/** A database of its own on the MongoDB in MONGODB_URL, gone after the test. */

import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { connectMongoDb, type MongoConnection } from '../../src/stores/mongodb/mongoConnection.ts'

export const mongoUrl = process.env['MONGODB_URL'] ?? ''

export interface NewDatabase {
  /** The connection string with this database in it. */
  readonly url: string
  readonly connect: () => MongoConnection
}

/** The connection string of a database that nobody has used. */
export function newDatabaseUrl(): string {
  return withDatabase(mongoUrl, `vigil-test-${randomUUID()}`)
}

export async function dropDatabase(url: string): Promise<void> {
  const { database, close } = connectMongoDb({ url })
  await database.dropDatabase()
  await close()
}

export function newDatabase(): NewDatabase {
  const url = newDatabaseUrl()
  onTestFinished(() => dropDatabase(url))
  return {
    url,
    connect: () => {
      const connection = connectMongoDb({ url })
      onTestFinished(connection.close)
      return connection
    },
  }
}

/** The same server, another database; who logs in is known to the one that was named. */
function withDatabase(text: string, name: string): string {
  const url = /^(?<hosts>\w+(?:\+srv)?:\/\/[^/?]*)(?:\/(?<database>[^?]*))?(?<query>\?.*)?$/.exec(
    text,
  )
  const { hosts, database, query = '' } = url?.groups ?? {}
  const isNamed = /[?&]authSource=/i.test(query) || !hosts?.includes('@')
  const source = isNamed ? '' : `${query === '' ? '?' : '&'}authSource=${database || 'admin'}`
  return `${hosts}/${name}${query}${source}`
}
