/**
 * An evaluation on its way into the log, written as text from what is known of it: there are thousands a second, and asking a general
 * schema, copying and making text twice would take twice the time. It is what `encode` makes of the same event, to the byte.
 */

import { uuidV5 } from '../../domain/uuid.ts'
import type { RecordedRecipe } from '../../engine/run/record.ts'
import type { EncodedEvent } from '../recording/encodeEvent.ts'
import { type EventContext, epoch } from '../recording/event.ts'
import { type AssignedKey, type Keyring, sealText } from '../recording/sealing.ts'
import { evaluationVersion, type WrittenEvaluation } from './evaluation.ts'

/** The recorded form of an evaluation, alone in its command. Throws `Failure` `unavailable` when the keyring has no key. */
export function encodeEvaluation(
  data: WrittenEvaluation,
  context: EventContext,
  keyring: Keyring,
): EncodedEvent {
  const id = uuidV5(context.command, '0')
  const subjects = subjectsOf(data, context, keyring)
  const [first] = subjects
  if (!first) throw new Error('an evaluation without a target has no subject')
  const boxes = subjects.map((subject) => boxOf({ data, subject, first, id, keyring }))
  return {
    id,
    type: 'FlowEvaluated',
    data: dataText(data, `${boxes.join(',')},"evidence":${lodgedText(first)}`),
    metadata: metadataText(context, subjects),
  }
}

type Field = 'phone_number' | 'email_address'

/** Whose data it is, under which key, and the field that says so. */
interface Subject {
  readonly field: Field
  readonly digest: string
  readonly key: AssignedKey
}

/** The number's subject, the address's; the evidence is the first one's. */
function subjectsOf(
  data: WrittenEvaluation,
  { account, time: timeMs }: EventContext,
  keyring: Keyring,
): readonly Subject[] {
  const subjects: Subject[] = []
  const add = (field: Field, kind: 'phone' | 'email'): void => {
    const value = data[field]
    if (value === undefined) return
    const digest = keyring.subject(account, kind, value)
    subjects.push({ field, digest, key: keyring.assign(digest, { area: 'evaluation', timeMs }) })
  }
  add('phone_number', 'phone')
  add('email_address', 'email')
  return subjects
}

interface Boxing {
  readonly data: WrittenEvaluation
  readonly subject: Subject
  readonly first: Subject
  /** Of the event. */
  readonly id: string
  readonly keyring: Keyring
}

/** The member of a subject's field, with its box. */
function boxOf({ data, subject, first, id, keyring }: Boxing): string {
  const { field, key } = subject
  const value = JSON.stringify(data[field])
  const holdsEvidence = subject === first
  const text = holdsEvidence
    ? `{"${field}":${value},"evidence":${evidenceText(data.evidence)}}`
    : value
  const place = { event: id, field: holdsEvidence ? `${field}+evidence` : field }
  const box = sealText(text, place, { key, nonce: keyring.nonce() })
  const fields = holdsEvidence ? `,"fields":["${field}","evidence"]` : ''
  return `"${field}":{"sealed":{"key":"${key.id}","box":"${box}"${fields}}}`
}

function lodgedText({ field, key }: Subject): string {
  return `{"sealed":{"key":"${key.id}","in":"${field}"}}`
}

type EvidenceMember =
  | 'dispatch_id'
  | 'correlation_id'
  | 'sources'
  | 'values'
  | 'items'
  | 'lists'
  | 'not_counted'

function evidenceText(evidence: Whole<WrittenEvaluation['evidence'], EvidenceMember>): string {
  const { dispatch_id, correlation_id, sources, values, items, lists, not_counted } = evidence
  return `{${member('dispatch_id', dispatch_id)}${member('correlation_id', correlation_id)}"sources":"${sources}","values":${JSON.stringify(values)},"items":${JSON.stringify(items)},${lists ? `"lists":${JSON.stringify(lists)},` : ''}"not_counted":${listText(not_counted)}}`
}

/** The last three are personal, and written apart. */
type DataMember =
  | 'evaluation_id'
  | 'flow_id'
  | 'flow_version_id'
  | 'plan'
  | 'semantics'
  | 'dispatch'
  | 'ip'
  | 'device'
  | 'correlation'
  | 'time'
  | 'as_of'
  | 'verdict'
  | 'recipes'
  | 'result_hash'
  | 'request_digest'
  | Field
  | 'evidence'

/** Ids and digests are of letters that stand in JSON as they are; what else is text goes through `JSON.stringify`. */
function dataText(data: Whole<WrittenEvaluation, DataMember>, personal: string): string {
  const { evaluation_id, flow_id, flow_version_id, plan, semantics, dispatch } = data
  const { ip, device, correlation, time, as_of, verdict, recipes } = data
  const { result_hash, request_digest } = data
  const begin = `{"evaluation_id":"${evaluation_id}",${member('flow_id', flow_id)}${member('flow_version_id', flow_version_id)}"plan":"${plan}","semantics":${semantics},"dispatch":"${dispatch}"`
  const digests = `${member('ip', ip)}${member('device', device)}${member('correlation', correlation)}`
  const end = `"recipes":[${recipes.map(recipeText).join(',')}],"result_hash":"${result_hash}"`
  const request = request_digest === undefined ? '' : `,"request_digest":"${request_digest}"`
  return `${begin},${personal},${digests}"time":${time},"as_of":${as_of},"verdict":"${verdict}",${end}${request}}`
}

type RecipeMember = 'recipe_id' | 'score' | 'verdict' | 'determined_by' | 'outcomes' | 'blocked_by'

function recipeText(recipe: Whole<RecordedRecipe, RecipeMember>): string {
  const { recipe_id, score, verdict, determined_by, outcomes, blocked_by } = recipe
  return `{${member('recipe_id', recipe_id)}"score":${score},"verdict":"${verdict}",${member('determined_by', determined_by)}"outcomes":"${outcomes}","blocked_by":${listText(blocked_by)}}`
}

function metadataText(context: EventContext, subjects: readonly Subject[]): string {
  const whose = subjects.map(({ digest, key }) => `{"digest":"${digest}","key":"${key.id}"}`)
  const said = JSON.stringify(context).slice(0, -1)
  return `${said},"epoch":${epoch},"version":${evaluationVersion},"subjects":[${whose.join(',')}]}`
}

/** What has these members and no others: nothing is one where it has more, so that a member that is not written does not compile. */
type Whole<Value, Member extends keyof Value> =
  Exclude<keyof Value, Member> extends never ? Value : never

/** A member with a comma behind it; nothing for one that is absent. */
function member(name: string, text: string | undefined): string {
  return text === undefined ? '' : `"${name}":${JSON.stringify(text)},`
}

function listText(list: readonly unknown[] | undefined): string {
  return list === undefined || list.length === 0 ? '[]' : JSON.stringify(list)
}
