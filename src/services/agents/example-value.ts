import * as z from 'zod';

type JsonSchema = Readonly<Record<string, unknown>>;

/** The simplest value that a JSON schema allows, as far as agents' answers need it. */
export function exampleValue(schema: JsonSchema): unknown {
  const {data} = knownKeywords.safeParse(schema);
  if (data === undefined) return null;
  const alternative = (data.oneOf ?? data.anyOf)?.[0];
  if (alternative !== undefined) return exampleValue(alternative);
  if ('const' in schema) return schema.const;
  if (data.enum !== undefined) return data.enum[0];
  switch (data.type) {
    case 'object':
      return Object.fromEntries(data.required.map((key) => [key, exampleValue(data.properties[key] ?? {})]));
    case 'array':
      return [];
    case 'boolean':
      return true;
    case 'string':
      return '';
    case 'integer':
    case 'number':
      return 0;
    default:
      return null;
  }
}

const subschema = z.record(z.string(), z.unknown());

const knownKeywords = z.object({
  type: z.string().optional().catch(undefined),
  enum: z.array(z.unknown()).optional(),
  oneOf: z.array(subschema).optional(),
  anyOf: z.array(subschema).optional(),
  properties: z.record(z.string(), subschema).default({}),
  required: z.array(z.string()).default([]),
});
