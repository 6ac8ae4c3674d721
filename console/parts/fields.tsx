/** Asks for one of several, or for a text. */

import type { ComponentChildren } from 'preact'

interface SelectProps<Value extends string | number> {
  readonly label: ComponentChildren
  /** Empty while nothing is chosen. */
  readonly value: NoInfer<Value> | ''
  /** Values with their words. */
  readonly options: Iterable<readonly [Value, string]>
  /** Words of choosing none of them; absent where one must be chosen. */
  readonly none?: string
  readonly disabled?: boolean
  readonly onChange: (value: NoInfer<Value> | '') => void
}

export function Select<Value extends string | number>({
  label,
  value,
  options,
  none,
  disabled = false,
  onChange,
}: SelectProps<Value>) {
  const all = [...options]
  const choose = (chosen: string) =>
    onChange(all.find(([one]) => String(one) === chosen)?.[0] ?? '')
  return (
    <label>
      {label}
      <select
        value={value}
        disabled={disabled}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {none !== undefined && <option value="">{none}</option>}
        {all.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}

interface TextProps {
  readonly label: ComponentChildren
  readonly isWide?: boolean
  readonly isSearch?: boolean
  readonly value: string
  readonly placeholder?: string
  readonly maxLength?: number
  readonly required?: boolean
  readonly readOnly?: boolean
  readonly onChange: (text: string) => void
  readonly onKeyDown?: (event: KeyboardEvent) => void
}

export function TextField(props: TextProps) {
  const { label, isWide = false, isSearch = false, onChange, ...input } = props
  return (
    <label class={isWide ? 'wide' : ''}>
      {label}
      <input
        {...input}
        // the types of the attributes take one literal
        type={(isSearch ? 'search' : 'text') as 'text'}
        autoComplete="off"
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  )
}
