import { ask, calls, type Story, says } from "../story.ts";

/** Access that needs a decision within four hours. */
export const accessStory: Story = ({ colleague }) => [
  {
    user: `I can't see my payslip. ${colleague}, second week.`,
    steps: [
      calls(
        "request-access",
        { system: "payroll", colleague },
        { text: "I ask for access to payroll.", result: { granted: true } },
      ),
      says("You have access now. Payslips appear on the 28th of each month."),
    ],
    refused: "Nobody has given you access to payroll yet. Please ask Jonas, who looks after it.",
  },
];

/** First weeks of new colleagues. */
export const onboardingStories: readonly [Story, ...Story[]] = [
  ({ colleague }) => [
    ask(
      `Hello, I'm ${colleague} and today is my first day!`,
      calls(
        "list-tasks",
        { colleague },
        { result: { tasks: ["Sign the contract", "Choose a laptop", "Meet your team lead"] } },
      ),
      says(
        `Welcome, ${colleague}! Three things are open: your contract, your laptop and a meeting with your team lead. Shall we begin with the contract?`,
      ),
    ),
    ask("Signed it already.", says("Wonderful. Then the laptop: do you prefer 13 or 15 inches?")),
    ask(
      "13, please.",
      calls(
        "book-meeting",
        { with: "Priya", topic: `Welcome ${colleague}` },
        { result: { time: "tomorrow at 10:00" } },
      ),
      says(
        "Noted, it arrives on Thursday. I have also booked you a coffee with Priya, your team lead, tomorrow at 10:00.",
      ),
    ),
  ],
  () => [
    ask(
      "How do I book holidays?",
      says(
        "Write the days into the team calendar and ask Jonas to confirm them. Two weeks ahead is enough for up to five days.",
      ),
    ),
    ask("Do bank holidays count?", says("No, they come on top.")),
  ],
  accessStory,
  ({ colleague }) => [
    ask(
      "Who can explain the returns process to me?",
      calls(
        "book-meeting",
        { with: "Tomasz", topic: "Returns, from label to shelf" },
        { result: { time: "Thursday at 14:30" } },
      ),
      says("Tomasz runs the returns bench. I have booked half an hour with him on Thursday at 14:30."),
    ),
    ask(
      "Could I get an account for the shop statistics too?",
      calls("request-access", { system: "statistics", colleague }, { result: { granted: true } }),
      says("Done, you can sign in with your work address. The Numbers desk answers questions about them."),
    ),
  ],
  ({ colleague }) => [
    ask(
      "What should I have done by the end of my first week?",
      calls(
        "list-tasks",
        { colleague },
        { result: { tasks: ["Meet the warehouse team", "Read the returns guide"] } },
      ),
      says(
        "Only two things are left: meet the warehouse team, and read the returns guide. Shall I book the warehouse?",
      ),
    ),
    ask(
      "Yes, any morning.",
      calls(
        "book-meeting",
        { with: "Ines", topic: "Tour of the warehouse" },
        { result: { time: "Friday at 09:00" } },
      ),
      says("Ines shows you around on Friday at 09:00. Wear closed shoes!"),
    ),
    ask(
      "Where is the returns guide?",
      says("In the shared folder 'Returns', first page. It takes ten minutes."),
    ),
  ],
];
