/** What a customer says of a legacy session: text of a stranger, until it is read here. */

import {
  canonicalIdentifier,
  type Identifier,
  identifierLengthMax,
  identifiersMax,
  identifierTypePattern,
} from '../../domain/identifiers.ts'
import {
  countryPattern,
  deviceTextMax,
  deviceTypePattern,
  type SessionDeviceInput,
  unshownFields,
} from '../../domain/sessionDevice.ts'

/** A legacy session. */
export type Validation =
  | { readonly valid: false }
  | {
      readonly valid: true
      /** Of its user: at least one, in canonical form, each once. */
      readonly identifiers: readonly Identifier[]
      readonly device: SessionDeviceInput
    }

type Members = Readonly<Record<string, unknown>>

/** Undefined for whatever is not as the contract has it; members that it does not know are passed over. */
export function readValidation(text: string): Validation | undefined {
  const said = membersOf(parsed(text))
  if (said?.['valid'] === false) return { valid: false }
  if (said?.['valid'] !== true) return undefined
  const identifiers = identifiersOf(said['identifiers'])
  const device = deviceOf(said['device'] ?? {})
  return identifiers && device && { valid: true, identifiers, device }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function membersOf(value: unknown): Members | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Members) : undefined
}

const typeForm = new RegExp(identifierTypePattern)

function identifiersOf(value: unknown): readonly Identifier[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > identifiersMax) return undefined
  const found = value.flatMap((one) => identifierOf(one) ?? [])
  if (found.length < value.length) return undefined
  const each = new Map(found.map((one) => [`${one.type} ${one.value}`, one]))
  return [...each.values()]
}

function identifierOf(given: unknown): Identifier | undefined {
  const { type, value } = membersOf(given) ?? {}
  if (typeof type !== 'string' || typeof value !== 'string') return undefined
  if (!typeForm.test(type) || value.length > identifierLengthMax) return undefined
  return canonicalIdentifier({ type, value })
}

const textForm = new RegExp(`^[^]{0,${deviceTextMax}}$`, 'u')
const deviceForms = {
  device_type: new RegExp(deviceTypePattern),
  device_model: textForm,
  os_version: textForm,
  country_code: new RegExp(countryPattern),
} as const satisfies Record<keyof SessionDeviceInput, RegExp>

function deviceOf(value: unknown): SessionDeviceInput | undefined {
  const given = membersOf(value)
  if (!given) return undefined
  const device: Record<string, string> = {}
  for (const [name, form] of Object.entries(deviceForms)) {
    const text = given[name]
    if (text === undefined) continue
    if (typeof text !== 'string' || !form.test(text)) return undefined
    device[name] = text
  }
  return unshownFields(device).length > 0 ? undefined : device
}
