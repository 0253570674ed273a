import ArgumentParser

/// Which campaign a command is about.
struct CampaignArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The campaign's name.", valueName: "name"))
    var name: String

    @Option(help: ArgumentHelp("Whose it is, where several clients have one of this name.", valueName: "client"))
    var client: String?
}
