import { celEnv, isCelError, parse, plan } from '@bufbuild/cel'
import { strings } from '@bufbuild/cel/ext'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Values } from './evaluate.ts'

const env = celEnv({ funcs: strings })

/** What another implementation of CEL says: `true`, `false` or `error`. */
export function celOutcome(rule: string, values: Values): string {
  const bindings: Record<string, Record<string, unknown>> = {
    signal: { ext: {} },
    target: {},
    list: {},
    request: {},
  }
  for (const [name, value] of Object.entries(values)) {
    const [root = '', ...rest] = name.split('.')
    const place = rest.length === 2 ? bindings['signal']?.['ext'] : bindings[root]
    const bound = name === 'request.time' ? timestampFromMs(Number(value)) : value
    Object.assign(place as object, { [rest.at(-1) ?? '']: bound })
  }
  const result = plan(env, parse(rule))(bindings as never)
  return isCelError(result) ? 'error' : String(result)
}
