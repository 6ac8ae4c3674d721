/** Describes each event type in a sentence without personal data. */

import { isoTime } from '../../domain/text/isoTime.ts'
import { quoteText } from '../../domain/text/quoteText.ts'
import type { VigilEvent } from '../../events/catalogue.ts'

type DataOf<Type extends VigilEvent['type']> = Extract<VigilEvent, { readonly type: Type }>['data']
type Sentences = { readonly [Type in VigilEvent['type']]: (data: DataOf<Type>) => string }

/** A new type of event: a line here. */
const sentences: Sentences = {
  AccountOpened: ({ name }) => `Opened the account ${quote(name)}.`,
  AuthoringEnabled: () => 'Allowed the account to author rules.',
  AuthoringDisabled: () => 'Forbade the account to author rules.',
  ManagementEnabled: () => 'Allowed the account to manage lists, sender IDs and templates.',
  ManagementDisabled: () => 'Forbade the account to manage lists, sender IDs and templates.',
  TrustedUserAgreed: () => 'Agreed that the signal is_trusted_user counts.',
  TrustedUserWithdrawn: () => 'Withdrew the agreement that the signal is_trusted_user counts.',
  CustomSuffixEnabled: () => 'Allowed templates a suffix of their own.',
  CustomSuffixDisabled: () => 'Forbade templates a suffix of their own.',
  PredictionFlowSet: ({ flow_id }) => `Set the flow ${flow_id} for predictions.`,
  PredictionFlowCleared: () => 'Set no flow for predictions any more.',
  LabelClassesSet: ({ classes }) =>
    `Set which labels mean fraud or legitimate (${classes.length}).`,
  ApiTokenIssued: ({ token_id, scopes, expires_at }) =>
    `Issued the API token ${token_id} with the scopes ${scopes.join(', ')}${formatExpiry(expires_at)}.`,
  ApiTokenRevoked: ({ token_id }) => `Revoked the API token ${token_id}.`,
  SdkKeyIssued: ({ key_id }) => `Issued the SDK key ${key_id}.`,
  SdkKeyOriginsSet: ({ key_id, origins }) =>
    `Set the origins of the SDK key ${key_id}: ${origins.join(', ') || 'all'}.`,
  SdkKeyRevoked: ({ key_id }) => `Revoked the SDK key ${key_id}.`,
  ApiTokenUsed: ({ token_id }) => `The API token ${token_id} was used.`,
  SdkKeyUsed: ({ key_id }) => `The SDK key ${key_id} was used.`,
  RulePublished: ({ rule_id, version_id, name }) =>
    `Published version ${version_id} of the rule ${rule_id} ${quote(name)}.`,
  RuleRestored: ({ rule_id, version_id }) =>
    `Made version ${version_id} of the rule ${rule_id} the current one again.`,
  RuleRetired: ({ rule_id }) => `Deleted the rule ${rule_id}.`,
  RecipePublished: ({ recipe_id, version_id, name, threshold, rules, status }) =>
    `Published version ${version_id} of the recipe ${recipe_id} ${quote(name)}, ${status}: ${formatCount(rules.length, 'rule')}, threshold ${threshold}.`,
  RecipeRestored: ({ recipe_id, version_id }) =>
    `Made version ${version_id} of the recipe ${recipe_id} the current one again.`,
  RecipeStatusSet: ({ recipe_id, status }) =>
    `Set the status of the recipe ${recipe_id} to ${status}.`,
  RecipeRetired: ({ recipe_id }) => `Deleted the recipe ${recipe_id}.`,
  FlowPublished: ({ flow_id, version_id, name, recipes }) =>
    `Published version ${version_id} of the flow ${flow_id} ${quote(name)}: ${formatCount(recipes.length, 'recipe')}.`,
  FlowRestored: ({ flow_id, version_id }) =>
    `Made version ${version_id} of the flow ${flow_id} the current one again.`,
  FlowRetired: ({ flow_id }) => `Deleted the flow ${flow_id}.`,
  ListCreated: ({ list_id, name, kind }) =>
    `Created the list ${list_id} ${quote(name)} of ${kind}.`,
  ListChanged: ({ list_id }) => `Changed the description of the list ${list_id}.`,
  ListDeleted: ({ list_id }) => `Deleted the list ${list_id}.`,
  ManagedRulePublished: ({ rule_id }) => `Published a version of the managed rule ${rule_id}.`,
  ManagedRuleRestored: ({ rule_id, version_id }) =>
    `Made version ${version_id} of the managed rule ${rule_id} the current one again.`,
  ManagedRuleRetired: ({ rule_id }) => `Deleted the managed rule ${rule_id}.`,
  ManagedRecipePublished: ({ recipe_id }) =>
    `Published a version of the managed recipe ${recipe_id}.`,
  ManagedRecipeRestored: ({ recipe_id, version_id }) =>
    `Made version ${version_id} of the managed recipe ${recipe_id} the current one again.`,
  ManagedRecipeRetired: ({ recipe_id }) => `Deleted the managed recipe ${recipe_id}.`,
  ManagedSetInstalled: ({ version }) => `Installed the managed rules of version ${version}.`,
  SignalsDispatched: () => 'A front end sent signals.',
  PhoneNumberListed: ({ list, expires_at }) =>
    `Put a phone number on the ${list} list${formatExpiry(expires_at)}.`,
  PhoneNumberUnlisted: ({ list }) => `Took a phone number off the ${list} list.`,
  ListEntryAdded: ({ list_id, expires_at }) =>
    `Put a value on the list ${list_id}${formatExpiry(expires_at)}.`,
  ListEntryRemoved: ({ list_id }) => `Took a value off the list ${list_id}.`,
  SenderIdSubmitted: ({ sender_id }) => `Submitted the sender ID ${quote(sender_id)}.`,
  SenderIdApproved: ({ sender_id }) => `Approved the sender ID ${quote(sender_id)}.`,
  SenderIdRejected: ({ sender_id, reason }) =>
    `Rejected the sender ID ${quote(sender_id)}: ${reason}`,
  TemplateCreated: ({ template_id }) => `Created the template ${template_id}.`,
  TemplateUpdated: ({ template_id }) => `Changed the template ${template_id}.`,
  TemplateDeleted: ({ template_id }) => `Deleted the template ${template_id}.`,
  AppRegistered: ({ app_id, name }) => `Registered the application ${app_id} ${quote(name)}.`,
  AppSettingsSet: ({ app_id }) => `Changed the settings of the application ${app_id}.`,
  AppRetired: ({ app_id }) => `Deleted the application ${app_id}.`,
  SigningKeyAdded: ({ app_id, kid }) =>
    `Added the signing key ${kid} of the application ${app_id}.`,
  SigningKeyRetired: ({ app_id, kid }) =>
    `Retired the signing key ${kid} of the application ${app_id}.`,
  MigrationConfigSet: ({ app_id }) => `Set the migration of the application ${app_id}.`,
  MigrationConfigDeleted: ({ app_id }) => `Deleted the migration of the application ${app_id}.`,
  UserCreated: ({ user_id, app_id }) => `Created the user ${user_id} of the application ${app_id}.`,
  UserCreationAbandoned: ({ user_id }) =>
    `Did not create the user ${user_id}: an identifier was another user's.`,
  UserNamed: ({ user_id }) => `Gave the user ${user_id} a name to sign in with.`,
  UserDeleted: ({ user_id }) => `Deleted the user ${user_id}.`,
  PasswordChanged: ({ user_id, by }) => `Changed the password of the user ${user_id} (by ${by}).`,
  ScopeGranted: ({ user_id, scope, expires_at }) =>
    `Granted the user ${user_id} the scope ${quote(scope)}${formatExpiry(expires_at)}.`,
  ScopeUsed: ({ user_id, session_id }) =>
    `The user ${user_id} used a granted scope in the session ${session_id}.`,
  SessionsRevoked: ({ user_id, reason }) =>
    `Ended the sessions of the user ${user_id} (${reason}).`,
  IdentifierClaimed: ({ user_id }) => `An identifier became that of the user ${user_id}.`,
  NameClaimed: ({ user_id }) => `A name became that of the user ${user_id}.`,
  IdentifierReleased: ({ user_id }) => `An identifier is no longer that of the user ${user_id}.`,
  SessionStarted: ({ session_id, user_id }) =>
    `Started the session ${session_id} of the user ${user_id}.`,
  SessionRefreshed: ({ session_id, user_id }) =>
    `Refreshed the session ${session_id} of the user ${user_id}.`,
  RefreshRepeated: ({ session_id }) =>
    `Answered the last refresh of the session ${session_id} once more.`,
  SessionRevoked: ({ session_id, user_id, reason }) =>
    `Ended the session ${session_id} of the user ${user_id} (${reason}).`,
  ExpressionRecorded: () => 'Recorded the expression of a rule for plans.',
  PlanRulesRecorded: ({ rules }) => `Recorded ${formatCount(rules.length, 'rule')} for plans.`,
  FlowPlanRecorded: ({ plan: { flow_id, flow_version_id } }) =>
    `Recorded the plan of version ${flow_version_id} of the flow ${flow_id}.`,
  FlowEvaluated: ({ evaluation_id, flow_id, verdict }) =>
    `Evaluated the flow ${flow_id}: ${verdict} (${evaluation_id}).`,
  CounterWarmed: ({ series, entries }) =>
    `Counted what had happened before counters came into force: ${formatCount(entries.length, 'key')} of ${series.length} of them.`,
  FeedbackReceived: ({ type, ...about }) =>
    `Received the feedback ${quote(type)} about ${nameTarget(about)}.`,
  EventReported: ({ label, confidence, ...about }) =>
    `Received the event ${quote(label)} (${confidence}) about ${nameTarget(about)}.`,
  SubjectErased: ({ keys }) => `Destroyed ${formatCount(keys.length, 'key')} of a subject.`,
  PersonErased: ({ erasure_id, evaluations, users }) =>
    `Erased a person (${erasure_id}): evidence of ${formatCount(evaluations, 'evaluation')}, ${formatCount(users, 'user')}.`,
  PersonOpened: ({ operation, screen, kind }) =>
    `Saw ${kind ? 'a person' : 'persons'} in clear (${operation}${screen === undefined ? '' : `; console: ${screen}`}).`,
  RetentionSet: ({ evaluations_days: days }) =>
    `Set how long evidence of evaluations is kept: ${formatCount(days, 'day')}.`,
  RetentionEnded: () => 'Evidence of evaluations is kept without an end again.',
  EvidenceExpired: ({ evaluations, dispatches }) =>
    `Erased the evidence of ${formatCount(evaluations, 'evaluation')} and ${dispatches} of the dispatches: kept long enough.`,
  BacktestStarted: ({ backtest_id, end }) =>
    `Started a backtest over evaluations up to position ${end} (${backtest_id}).`,
  BacktestResumed: ({ backtest_id }) => `Went on with a backtest (${backtest_id}).`,
  BacktestAdvanced: ({ backtest_id, scanned, changed_count }) =>
    `Judged ${formatCount(scanned, 'more evaluation')} (${backtest_id}): ${formatCount(changed_count, 'changed verdict')}.`,
  BacktestEnded: ({ backtest_id, outcome }) => `A backtest ended: ${outcome} (${backtest_id}).`,
  SearchSaved: ({ search_id, name }) => `Saved the search ${quoteText(name)} (${search_id}).`,
  SearchDeleted: ({ search_id }) => `Deleted a saved search (${search_id}).`,
  ReviewTaken: ({ evaluation_id }) => `Took an evaluation for review (${evaluation_id}).`,
  ReviewAnswered: ({ evaluation_id, answer }) =>
    `Answered the review of an evaluation: ${answer} (${evaluation_id}).`,
  ReplayStarted: ({ replay_id, after, end }) =>
    `Started to replay all evaluations from position ${after} to ${end} (${replay_id}).`,
  ReplayAdvanced: ({ replay_id, position, match, mismatch, evidence_erased }) =>
    `Replayed evaluations up to position ${position} (${replay_id}): ${match} MATCH, ${mismatch} MISMATCH, ${evidence_erased} EVIDENCE_ERASED.`,
  ReplayEnded: ({ replay_id, outcome }) =>
    `The replay of all evaluations ended: ${outcome} (${replay_id}).`,
  LogLossAccepted: ({ kept_position }) =>
    `Accepted that events behind position ${kept_position} are lost.`,
  KeyLossAccepted: ({ reason }) => `Accepted that keys are lost (${reason}).`,
}

export function describeEvent(event: VigilEvent): string {
  const sentence = sentences[event.type] as (data: VigilEvent['data']) => string
  return sentence(event.data)
}

function quote(text: string): string {
  return JSON.stringify(text)
}

function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function formatExpiry(expiresAtMs: number | undefined): string {
  return expiresAtMs === undefined ? '' : ` until ${isoTime(expiresAtMs)}`
}

interface About {
  readonly target_type: 'phone_number' | 'email_address'
  readonly evaluation_id?: string
}

function nameTarget({ target_type, evaluation_id }: About): string {
  const target = target_type === 'phone_number' ? 'a phone number' : 'an email address'
  return evaluation_id === undefined ? target : `${target}, in the evaluation ${evaluation_id}`
}
