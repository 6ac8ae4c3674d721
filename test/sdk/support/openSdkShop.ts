/** A started service, and the published client library of callers pointed at it, unmodified. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Prelude from '@prelude.so/sdk'
import type { Scope } from '../../../src/domain/principal.ts'
import { startVigil } from '../../support/startedVigil.ts'

const operatorToken = 'an-operator-token-for-these-tests-only'

type Body = Record<string, unknown>

export interface SdkShop {
  /** The client with a token of every scope that callers use. */
  readonly client: Prelude
  /** A client with a token of these scopes. */
  readonly clientWith: (...scopes: readonly Scope[]) => Promise<Prelude>
  /** A client with this token. */
  readonly clientOf: (token: string) => Prelude
  readonly close: () => Promise<void>
}

/** Opens it: one account with every access, in a service of its own that listens on a port. */
export async function openSdkShop(): Promise<SdkShop> {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-sdk-'))
  const vigil = await startVigil(folder, { VIGIL_OPERATOR_TOKEN: operatorToken })
  const operate = async (method: string, path: string, body: object): Promise<Body> => {
    const answer = await fetch(`${vigil.url}/v2/operator${path}`, {
      method,
      headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json() as Promise<Body>
  }
  const accountId = String((await operate('POST', '/accounts', { name: 'Shop' }))['account_id'])
  await operate('PUT', `/accounts/${accountId}/access`, { authoring: true, management: true })

  const clientOf: SdkShop['clientOf'] = (apiToken) =>
    new Prelude({ apiToken, baseURL: vigil.url, timeout: 60_000 })
  const clientWith: SdkShop['clientWith'] = async (...scopes) => {
    const issued = await operate('POST', `/accounts/${accountId}/tokens`, { scopes })
    return clientOf(String(issued['token']))
  }
  return {
    client: await clientWith('eval', 'feedback', 'manage', 'author', 'analyse'),
    clientWith,
    clientOf,
    close: async () => {
      await vigil.stop('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
