/** A started service, and the published client library of callers pointed at it, unmodified. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Prelude from '@prelude.so/sdk'
import type { Scope } from '../../../src/domain/principal.ts'
import { type Customer, openCustomer, operatorToken } from '../../support/openVigil.ts'
import { startVigil } from '../../support/startedVigil.ts'

export interface SdkShop {
  readonly customer: Customer
  /** The client with a token of every scope. */
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
  const customer = await openCustomer(vigil)
  const clientOf: SdkShop['clientOf'] = (apiToken) =>
    new Prelude({ apiToken, baseURL: vigil.url, timeout: 60_000 })
  return {
    customer,
    client: clientOf(customer.token),
    clientWith: async (...scopes) => clientOf(await customer.tokenWith(scopes)),
    clientOf,
    close: async () => {
      await vigil.stop('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
