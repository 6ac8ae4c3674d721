/** Defines the managed recipes that ship with the product, and combines them with the rules. */

import type { ManagedMembership, ManagedRecipeContent } from '../events/rulebook/managedRulebook.ts'
import { type ShippedRule, shippedRules } from './shippedRules.ts'

/** The key gives the recipe its id, so it stays for ever. */
export interface ShippedRecipe extends Omit<ManagedRecipeContent, 'rules'> {
  readonly key: string
  /** `rule` is the key of a shipped rule. */
  readonly rules: readonly (Omit<ManagedMembership, 'rule_id'> & { readonly rule: string })[]
}

const homeCountries = { name: 'home_countries', type: 'STRING', default_value: '' } as const

const signup: ShippedRecipe = {
  key: 'signup',
  name: 'Signup',
  description: 'Signs of a throw-away or automated identity at signup.',
  threshold: 50,
  threshold_bounds: { min: 30, max: 80 },
  parameters: [homeCountries, { name: 'blocked_countries', type: 'STRING', default_value: '' }],
  rules: [
    { rule: 'block-list', weight: 100, preempts: 'FLAG' },
    { rule: 'disposable-email', weight: 60 },
    { rule: 'plus-address', weight: 15 },
    { rule: 'digits-in-address', weight: 20 },
    { rule: 'foreign-number', weight: 25 },
    { rule: 'blocked-country-number', weight: 60 },
    { rule: 'hosting-network', weight: 35 },
    { rule: 'reserved-network', weight: 60 },
    { rule: 'headless-user-agent', weight: 60 },
    { rule: 'script-user-agent', weight: 50 },
    { rule: 'emulator-model', weight: 40 },
  ],
}

const payout: ShippedRecipe = {
  key: 'payout',
  name: 'Payout',
  description: 'Signs that somebody else asks for the payout.',
  threshold: 60,
  threshold_bounds: { min: 40, max: 90 },
  parameters: [
    homeCountries,
    { name: 'channel', type: 'ENUM', default_value: 'any', values: ['any', 'app', 'web'] },
    { name: 'quiet_from', type: 'INT', default_value: '0', value_min: 0, value_max: 23 },
    { name: 'quiet_to', type: 'INT', default_value: '5', value_min: 0, value_max: 24 },
  ],
  rules: [
    { rule: 'block-list', weight: 100, preempts: 'FLAG' },
    { rule: 'new-user', weight: 30 },
    { rule: 'quiet-hours', weight: 15 },
    { rule: 'foreign-number', weight: 30 },
    { rule: 'hosting-network', weight: 40 },
    { rule: 'unexpected-channel', weight: 30 },
    { rule: 'mobile-without-app-version', weight: 30 },
    { rule: 'platform-contradiction', weight: 50 },
    { rule: 'emulator-model', weight: 40 },
  ],
}

const phoneLists: ShippedRecipe = {
  key: 'phone-lists',
  name: 'Phone lists',
  description:
    'Numbers on the allow list pass whatever else the recipe finds, those on the block list are flagged; the allow list comes first.',
  threshold: 100,
  threshold_bounds: { min: 1, max: 100 },
  parameters: [],
  rules: [
    { rule: 'allow-list', weight: 0, preempts: 'PASS' },
    { rule: 'block-list', weight: 100, preempts: 'FLAG' },
  ],
}

export interface ShippedSet {
  /** Raised with every change of a rule or recipe: the next start then takes the change over. */
  readonly version: number
  readonly rules: readonly ShippedRule[]
  readonly recipes: readonly ShippedRecipe[]
}

export const shippedSet: ShippedSet = {
  version: 3,
  rules: shippedRules,
  recipes: [signup, payout, phoneLists],
}
