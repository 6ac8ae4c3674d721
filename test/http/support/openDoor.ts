/** The whole door, listening on a port of its own, with every answer held against the interface description. */

import { Agent } from 'node:http'
import pino from 'pino'
import type { Service } from '../../../src/app/serviceContext.ts'
import { type AppOptions, buildApp } from '../../../src/http/app.ts'
import { buildOpenapiDocument } from '../../../src/http/openapi/openapiRoute.ts'
import { listRoutes } from '../../../src/http/routes.ts'
import { startServer } from '../../../src/http/server.ts'
import { type Description, holdAgainst } from './interfaceDescription.ts'
import { type Received, type Sent, sendRequest } from './sendRequest.ts'

export interface Door {
  readonly port: number
  readonly description: Description
  /** Sends a request and checks the answer against the description of the host that it names. */
  readonly request: <Body = Record<string, unknown>>(
    method: string,
    path: string,
    sent?: Sent,
  ) => Promise<Received<Body>>
  readonly close: () => Promise<void>
}

type DoorOptions = Partial<Omit<AppOptions, 'service'>>

/** Opens the door of a service; close it when the test is over. */
export async function openDoor(service: Service, options: DoorOptions = {}): Promise<Door> {
  const logger = pino({ level: 'silent' })
  const app = buildApp({ service, logger, inFlightMax: 1_000, trustedProxies: 0, ...options })
  const server = await startServer({ app, host: '127.0.0.1', port: 0 })
  const agent = new Agent({ keepAlive: true })
  const place = { port: server.port, agent }
  const { body: description } = await sendRequest<Description>(
    { ...place, method: 'GET', path: '/openapi.json' },
    {},
  )
  const hold = holdAgainst(description)
  const holdSession = holdAgainst(
    buildOpenapiDocument(listRoutes(), 'session') as Description,
    'SessionError',
  )
  return {
    port: server.port,
    description,
    request: async <Body>(method: string, path: string, sent: Sent = {}) => {
      const received = await sendRequest<Body>({ ...place, method, path }, sent)
      const isSession = sent.headers?.['host']?.endsWith('.session.localhost')
      if (isSession) holdSession(method, path, received)
      else hold(method, path, received)
      return received
    },
    close: async () => {
      agent.destroy()
      await server.stop(1_000)
    },
  }
}
