/** A command line pointed at a whole service, as one of its customers and as its operator. */

import { afterAll } from 'vitest'
import {
  type Customer,
  openCustomer,
  openVigil,
  operatorToken,
  type Vigil,
} from '../../support/openVigil.ts'
import { type Cli, type Ended, openCli, type Situation } from './openCli.ts'

export interface Shop {
  readonly vigil: Vigil
  readonly customer: Customer
  readonly cli: Cli
  /** Runs a command and expects it to end with 0. */
  readonly run: (words: readonly string[], situation?: Situation) => Promise<Ended>
  /** Runs a command with `--json`, expects 0, and reads what it printed. */
  readonly read: (words: readonly string[]) => Promise<Record<string, unknown>>
  readonly close: () => Promise<void>
}

/** What `openShop` opens, closed after the tests of the file. */
export async function openShopOfFile(): Promise<Shop> {
  const shop = await openShop()
  afterAll(() => shop.close())
  return shop
}

/**
 * Opens the service, a customer with every scope, and the command line; in a service that is open, closing it leaves
 * that one open.
 */
export async function openShop(opened?: Vigil): Promise<Shop> {
  const vigil = opened ?? (await openVigil())
  const customer = await openCustomer(vigil)
  const cli = openCli({
    VIGIL_URL: `http://127.0.0.1:${vigil.door.port}`,
    VIGIL_TOKEN: customer.token,
    VIGIL_OPERATOR_TOKEN: operatorToken,
  })
  const run: Shop['run'] = async (words, situation) => {
    const ended = await cli.run(words, situation)
    if (ended.code !== 0)
      throw new Error(`${words.join(' ')} ended with ${ended.code}: ${ended.err}`)
    return ended
  }
  return {
    vigil,
    customer,
    cli,
    run,
    read: async (words) => (await run([...words, '--json'])).json(),
    close: async () => {
      cli.close()
      if (!opened) await vigil.close()
    },
  }
}
