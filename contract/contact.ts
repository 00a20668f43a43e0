import { z } from 'zod';
import { email } from './fields.ts';
import { LIMITS } from './limits.ts';

/** Where visitors reach a person, shared by boot and the settings. */

const contactEmail = email.describe('Email address that visitors may write to.');

const contactUrl = z
  .string()
  .max(LIMITS.urlCharsMax)
  .regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s]+$/)
  .describe('An http or https URL, such as a contact page.')
  .meta({ format: 'uri', example: 'https://www.example.com/contact' });

/** Three digits of a short number to the fifteen of E.164. */
const contactPhone = z
  .string()
  .max(32)
  .regex(/^\+?[0-9](?: ?[0-9]){2,14}$/)
  .describe('Telephone number: digits with single spaces, and a leading + before a country code.')
  .meta({ example: '+49 30 1234567' });

export const contact = z
  .strictObject({
    email: contactEmail.optional(),
    url: contactUrl.optional(),
    phone: contactPhone.optional(),
  })
  .meta({
    id: 'Contact',
    description: 'Where visitors reach a person. At least one field is present.',
  });

export const contactChange = z
  .strictObject({
    email: contactEmail.nullable().optional().describe('Email address, or `null` for none.'),
    url: contactUrl.nullable().optional().describe('Contact page, an http or https URL, or `null` for none.'),
    phone: contactPhone
      .nullable()
      .optional()
      .describe('Telephone number: digits, single spaces and a leading +, or `null` for none.'),
  })
  .meta({ id: 'ContactChange', description: 'Changes to the contact. Omitted fields stay unchanged.' });

export type Contact = z.infer<typeof contact>;
