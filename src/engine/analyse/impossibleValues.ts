/** Detects comparisons that can never hold (`impossible_text`, `private_network`). */

import { normalizeEmail } from '../../domain/evaluation/email.ts'
import { isPhoneCountry, normalizePhone, unifyPhone } from '../../domain/evaluation/phone.ts'
import { isPrivateNetwork, normalizePublicIp } from '../../domain/network/ipAddress.ts'
import { devicePlatforms } from '../../domain/signals/signals.ts'
import { type CallNode, type Expression, visitNodes } from '../language/expression.ts'
import { findExpressionType } from '../language/findExpressionType.ts'
import { evaluateEmailDomain, evaluateNetwork } from '../language/operators/domainFunctions.ts'
import { findOperationById } from '../language/operators/operationTable.ts'
import { lowerAscii, upperAscii } from '../language/values/text.ts'

export interface ImpossibleValue {
  readonly code: 'impossible_text' | 'private_network'
  readonly message: string
}

interface Form {
  readonly canBe: (text: string) => boolean
  /** Completes "it is …". */
  readonly is: string
}

/** By the name that is read or the function that is called. */
const forms: Readonly<Record<string, Form>> = {
  'signal.device_platform': {
    canBe: (text) => devicePlatforms.some((platform) => platform === text),
    is: `one of ${devicePlatforms.join(', ')}`,
  },
  'signal.ip': {
    canBe: (text) => normalizePublicIp(text) === text,
    is: 'a public address in its canonical form',
  },
  'target.phone_number': {
    canBe: (text) => normalizePhone(text) === text && unifyPhone(text) === text,
    is: 'a number in E.164, as +33612345678; of Argentina without the 9, of Brazil with it',
  },
  'target.email_address': {
    canBe: (text) => normalizeEmail(text) === text,
    is: 'an address in lower case',
  },
  phoneCountry: { canBe: isPhoneCountry, is: 'an ISO 3166 code of two capitals, as FR or GB' },
  emailDomain: {
    canBe: (text) => evaluateEmailDomain(`a@${text}`) === text,
    is: 'a domain in lower case, without @',
  },
  network: {
    canBe: (text) => evaluateNetwork(text.replace(/\/\d+$/, '')) === text,
    is: 'an IPv4 address with /32, or the /64 of an IPv6 address',
  },
  lowerAscii: { canBe: (text) => lowerAscii(text) === text, is: 'without the capitals A to Z' },
  upperAscii: { canBe: (text) => upperAscii(text) === text, is: 'without the letters a to z' },
}

const notEmpty: Form = {
  canBe: (text) => text !== '',
  is: 'not empty, since an empty value counts as missing: ask with has()',
}

/** Every impossible comparison, each message once. Never throws on an expression that compiles. */
export function detectImpossibleValues(rule: Expression): readonly ImpossibleValue[] {
  const found = new Map<string, ImpossibleValue>()
  visitNodes(rule, (node) => {
    const part = node.kind === 'call' ? findImpossibleCall(node) : undefined
    if (part) found.set(part.message, part)
  })
  return [...found.values()]
}

function findImpossibleCall({ operator, args }: CallNode): ImpossibleValue | undefined {
  const [a, b] = args
  if (!a || !b) return undefined
  switch (findOperationById(operator)?.name) {
    case '==':
    case '!=':
      return findImpossibleText(a, b) ?? findImpossibleText(b, a)
    case 'in':
      return findImpossibleText(a, b)
    case 'inCidr':
      return findPrivateNetwork(a, b)
    default:
      return undefined
  }
}

function findImpossibleText(subject: Expression, written: Expression): ImpossibleValue | undefined {
  const form = findForm(subject)
  const text = form && listTexts(written).find((one) => !form.canBe(one))
  if (text === undefined) return undefined
  const message = `${formatSubject(subject)} is never ${JSON.stringify(text)}: it is ${form?.is}.`
  return { code: 'impossible_text', message }
}

function findForm(subject: Expression): Form | undefined {
  if (subject.kind === 'call') return forms[findOperationById(subject.operator)?.name ?? '']
  if (subject.kind !== 'read' || findExpressionType(subject) !== 'string') return undefined
  return forms[subject.name] ?? notEmpty
}

function formatSubject(subject: Expression): string {
  if (subject.kind === 'read') return subject.name
  return subject.kind === 'call' ? `${findOperationById(subject.operator)?.name}(…)` : ''
}

/** The texts that are written there, alone or in a list. */
function listTexts(written: Expression): readonly string[] {
  if (written.kind === 'list') return written.items.flatMap(listTexts)
  return written.kind === 'literal' && typeof written.value === 'string' ? [written.value] : []
}

/** Of the end user's address alone: what comes under `ext` may lie anywhere. */
function findPrivateNetwork(address: Expression, written: Expression): ImpossibleValue | undefined {
  if (address.kind !== 'read' || address.name !== 'signal.ip') return undefined
  const network = listTexts(written).find(isPrivateNetwork)
  if (network === undefined) return undefined
  const message = `signal.ip is never in ${network}: only a public address counts. Send another under ext.`
  return { code: 'private_network', message }
}
