/** The message in which the published SDKs send the signals of a device: of its fields those that are read; all others are skipped. */

import { createFileRegistry, type DescMessage, fromJson } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'

type Kind = 'TYPE_STRING' | `.signals.${string}`

/** A field by its name: its number, and what it holds. */
type FieldTable = Readonly<Record<string, readonly [number: number, kind: Kind]>>

const messages: Readonly<Record<string, FieldTable>> = {
  Payload: {
    id: [1, 'TYPE_STRING'],
    application: [5, '.signals.Application'],
    device: [6, '.signals.Device'],
    hardware: [7, '.signals.Hardware'],
  },
  Application: { version: [2, 'TYPE_STRING'], web: [5, '.signals.WebPlatform'] },
  WebPlatform: { userAgent: [1, 'TYPE_STRING'] },
  Device: {
    platform: [1, '.signals.Platform'],
    osRelease: [6, 'TYPE_STRING'],
    systemName: [8, 'TYPE_STRING'],
    systemVersion: [9, 'TYPE_STRING'],
  },
  Hardware: { model: [2, 'TYPE_STRING'] },
}

const platforms = ['UNKNOWN', 'APPLE', 'ANDROID', 'WEB'] as const

/** What a payload says, as JSON; what it leaves out is absent. */
export interface PayloadSaid {
  readonly id?: string
  readonly application?: {
    readonly version?: string
    readonly web?: { readonly userAgent?: string }
  }
  readonly device?: {
    /** A number is a platform that is not known. */
    readonly platform?: (typeof platforms)[number] | number
    readonly osRelease?: string
    readonly systemName?: string
    readonly systemVersion?: string
  }
  readonly hardware?: { readonly model?: string }
}

export const payloadMessage: DescMessage = describePayload()

function describePayload(): DescMessage {
  const file = fromJson(FileDescriptorProtoSchema, {
    name: 'signals.proto',
    package: 'signals',
    syntax: 'proto3',
    messageType: Object.entries(messages).map(([name, fields]) => ({
      name,
      field: Object.entries(fields).map(([field, place]) => fieldOf(field, place)),
    })),
    enumType: [{ name: 'Platform', value: platforms.map((name, number) => ({ name, number })) }],
  })
  const message = createFileRegistry(file, () => undefined).getMessage('signals.Payload')
  if (!message) throw new Error('the message of signals is not described')
  return message
}

function fieldOf(name: string, [number, kind]: readonly [number, Kind]) {
  const common = { name, jsonName: name, number, label: 'LABEL_OPTIONAL' }
  if (kind === 'TYPE_STRING') return { ...common, type: kind }
  const type = kind === '.signals.Platform' ? 'TYPE_ENUM' : 'TYPE_MESSAGE'
  return { ...common, type, typeName: kind }
}
