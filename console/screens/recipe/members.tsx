/** Moves the threshold and the weights of a recipe, and chooses its rules. */

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { linkTo } from '../../api/address.ts'
import type { Membership, RecipeInput } from '../../api/schema.ts'
import { Select } from '../../parts/fields.tsx'
import { useNames } from '../../parts/useNames.ts'

interface MembersProps {
  readonly content: RecipeInput
  readonly isReadOnly: boolean
  readonly onChange: (content: RecipeInput) => void
}

export function Members({ content, isReadOnly, onChange }: MembersProps) {
  const names = useNames('rules')
  const { rules, threshold } = content
  const change = (at: number, member: Membership | undefined) =>
    onChange({
      ...content,
      rules: rules.flatMap((one, index) => (index === at ? (member ?? []) : one)),
    })
  return (
    <fieldset disabled={isReadOnly}>
      <legend class="sr">Threshold and weights</legend>
      <Slider
        label="Flags from"
        min={0}
        value={threshold}
        onChange={(value) => onChange({ ...content, threshold: value })}
      />
      <ul class="members">
        {rules.map((member, at) => (
          <li key={`${at} ${member.rule_id}`}>
            <Slider
              label={`Weight of ${names.get(member.rule_id) ?? member.rule_id}`}
              shown={<RuleName id={member.rule_id} name={names.get(member.rule_id)} />}
              min={-100}
              value={member.weight}
              onChange={(weight) => change(at, { ...member, weight })}
            />
            <Options member={member} onChange={(changed) => change(at, changed)} />
          </li>
        ))}
      </ul>
      {!isReadOnly && (
        <AddRule
          names={names}
          taken={rules.map(({ rule_id }) => rule_id)}
          onAdd={(rule_id) => onChange({ ...content, rules: [...rules, { rule_id, weight: 20 }] })}
        />
      )}
    </fieldset>
  )
}

function RuleName({ id, name }: { readonly id: string; readonly name: string | undefined }) {
  if (name === undefined) return <code>{id}</code>
  return (
    <a href={linkTo(`/rules/${id}`)}>
      <bdi>{name}</bdi>
    </a>
  )
}

interface SliderProps {
  readonly label: string
  /** In place of the label, for who sees it. */
  readonly shown?: ComponentChildren
  readonly min: number
  readonly value: number
  readonly onChange: (value: number) => void
}

/** Scores end at 0 and 100: the slider does too, the number goes beyond. */
function Slider({ label, shown, min, value, onChange }: SliderProps) {
  return (
    <div class="slider">
      <span class="slider-name">{shown ?? label}</span>
      <input
        type="range"
        aria-label={label}
        min={min}
        max={100}
        value={value}
        onInput={(event) => onChange(event.currentTarget.valueAsNumber)}
      />
      <input
        type="number"
        aria-label={`${label}, as a number`}
        value={value}
        onInput={({ currentTarget: { valueAsNumber: now } }) => {
          if (Number.isSafeInteger(now)) onChange(now)
        }}
      />
    </div>
  )
}

const effects = [
  ['FLAG', 'flags, whatever the score'],
  ['PASS', 'passes, whatever the score'],
] as const

interface OptionsProps {
  readonly member: Membership
  readonly onChange: (member: Membership | undefined) => void
}

function Options({ member, onChange }: OptionsProps) {
  const { preempts, ...rest } = member
  return (
    <div class="marks member-options">
      <Select
        label={<span>When it triggers</span>}
        value={preempts ?? ''}
        options={effects}
        none="adds its weight"
        onChange={(value) => onChange(value ? { ...rest, preempts: value } : rest)}
      />
      {member.version_id !== undefined && <span class="badge">pinned to a version</span>}
      <button type="button" class="quiet" onClick={() => onChange(undefined)}>
        Take out
      </button>
    </div>
  )
}

interface AddProps {
  readonly names: ReadonlyMap<string, string>
  readonly taken: readonly string[]
  readonly onAdd: (id: string) => void
}

function AddRule({ names, taken, onAdd }: AddProps) {
  const [chosen, choose] = useState('')
  const open = [...names].filter(([id]) => !taken.includes(id))
  if (open.length === 0) return null
  return (
    <div class="joined">
      <Select
        label="Another rule"
        value={chosen}
        options={open}
        none="choose one"
        onChange={choose}
      />
      <button
        type="button"
        disabled={chosen === ''}
        onClick={() => {
          onAdd(chosen)
          choose('')
        }}
      >
        Add
      </button>
    </div>
  )
}
